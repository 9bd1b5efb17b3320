"""Both stores side by side: how many clients do how much, in stores of how many memos."""
