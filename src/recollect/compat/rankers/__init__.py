"""The rankers of four earlier designs."""
