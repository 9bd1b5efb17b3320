"""A network between a client and a server, on loopback, that tests can cut."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

_PIECE = 65_536


class Network:
    """Forwards to the server of an address. `sever` breaks all connections; `swallow_after` loses an answer."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._server = parts.hostname or "127.0.0.1", parts.port or 5432
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._up = True
        self._fatal: bytes | None = None
        self.journeys = 0
        """How often a client has sent something."""
        host, port = self._listener.getsockname()
        self.address = parts._replace(netloc=f"{parts.username or 'postgres'}@{host}:{port}").geturl()
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def swallow_after(self, words: bytes) -> None:
        """Break the connection, once, when a client has sent these words: they arrive, and no answer comes back."""
        self._fatal = words

    def sever(self) -> None:
        """Break everything, and let nobody through until `mend`."""
        self._up = False
        self._drop()

    def mend(self) -> None:
        self._up = True

    def _drop(self) -> None:
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            _close(*pair)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._join(client)

    def _join(self, client: socket.socket) -> None:
        if not self._up:
            _close(client)
            return
        try:
            server = socket.create_connection(self._server)
        except OSError:
            _close(client)
            return
        with self._lock:
            self._pairs.append((client, server))
        threading.Thread(target=self._send, args=(client, server), daemon=True).start()
        threading.Thread(target=_pump, args=(server, client), daemon=True).start()

    def _send(self, client: socket.socket, server: socket.socket) -> None:
        """What the client says, watched for the fatal words."""
        with suppress(OSError):
            while piece := client.recv(_PIECE):
                self.journeys += 1
                if self._fatal is not None and self._fatal in piece:
                    self._fatal = None
                    client.close()
                    server.sendall(piece)
                    server.shutdown(socket.SHUT_WR)
                    return
                server.sendall(piece)
        _close(client, server)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _close(self._listener)
        self._acceptor.join()
        self._drop()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(_PIECE):
            target.sendall(piece)
    _close(source, target)


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
