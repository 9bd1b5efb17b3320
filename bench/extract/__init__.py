"""How well facts are learned from chat: a corpus of invented messages, and what should come of each."""
