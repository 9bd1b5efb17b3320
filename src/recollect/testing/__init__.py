"""For tests, ours and other people's: the contract every store keeps, and time that stands still."""
