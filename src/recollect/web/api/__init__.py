"""api."""

from fastapi import FastAPI


def install(app: FastAPI) -> None:
    """Add the routes."""
