"""Vectors of stored rows: computing, completing and searching them."""
