"""Routes of earlier designs, added to the API."""
