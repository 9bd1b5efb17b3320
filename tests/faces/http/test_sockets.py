"""Several processes at one address."""

import socket
from contextlib import closing

import pytest

from recollect.core.errors import BadInput
from recollect.faces.http.sockets import listen, listen_together

pytestmark = pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="this system has no shared ports")


def taken(listener: socket.socket) -> int:
    """How many connections wait at a socket."""
    listener.setblocking(False)
    found = 0
    while True:
        try:
            connection, _ = listener.accept()
        except BlockingIOError:
            return found
        connection.close()
        found += 1


def test_connections_are_dealt_out_to_all_processes():
    first, second = listen_together("127.0.0.1", 0, 2)
    with closing(first), closing(second):
        at = first.getsockname()
        assert second.getsockname() == at
        clients = [socket.create_connection(at) for _ in range(64)]
        counts = taken(first), taken(second)
        for client in clients:
            client.close()
    assert sum(counts) == 64
    assert min(counts) > 8


def test_a_second_start_at_the_same_port_is_refused():
    first, second = listen_together("127.0.0.1", 0, 2)
    with closing(first), closing(second), pytest.raises(BadInput, match="is it running already"):
        listen_together("127.0.0.1", first.getsockname()[1], 2)


def test_a_single_process_listens_exclusively_on_its_port():
    with closing(listen_together("127.0.0.1", 0, 1)[0]) as alone, pytest.raises(BadInput):
        listen("127.0.0.1", alone.getsockname()[1])
