"""Search over memos and messages."""
