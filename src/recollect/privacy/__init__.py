"""Erasing and handing out all that is known of a person or a guild."""
