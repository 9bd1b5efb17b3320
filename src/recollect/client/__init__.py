"""A typed client for the REST API of `recollect serve`.

async with Client("http://127.0.0.1:8420", token) as memory:
    await memory.remember("I prefer tea", user="ada")

with SyncClient("http://127.0.0.1:8420", token) as memory:
    memory.remember("I prefer tea", user="ada")
"""

from recollect.client.asynchronous import Client
from recollect.client.synchronous import SyncClient
from recollect.client.wire import (
    ApiError,
    Guild,
    Listing,
    MessageDetails,
    MessagePage,
    Page,
    Person,
    Preview,
    Why,
)

__all__ = [
    "ApiError",
    "Client",
    "Guild",
    "Listing",
    "MessageDetails",
    "MessagePage",
    "Page",
    "Person",
    "Preview",
    "SyncClient",
    "Why",
]
