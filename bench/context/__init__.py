"""How long a whole prompt takes, and how often it asks the store."""
