"""What clients do that they should not: the server goes on serving the others."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator

import pytest
from cli import needs_binary
from serve_process import ANSWER_S, ServeProcess, serving
from test_service import submission

pytestmark = needs_binary

MANY = 1000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("http"), "--no-auth", "--fake-lanes", "4", "--fake-hold", "1ms") as one:
        yield one


def connect(server: ServeProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=ANSWER_S)


def read(sock: socket.socket) -> bytes:
    data = b""
    while piece := sock.recv(65536):
        data += piece
    return data


def works(server: ServeProcess) -> bool:
    return server.ask("POST", "/v1/evaluations?wait=60", submission(dedup=False)).json()["state"] == "done"


def test_slowloris(server: ServeProcess) -> None:
    """Heads that never end cost a connection each, and only for a while."""
    slow = [connect(server) for _ in range(200)]
    for one in slow:
        one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    assert works(server)
    for one in slow:
        assert read(one) == b""  # Closed by the server once the head took too long.
        one.close()
    assert works(server)


def test_oversize(server: ServeProcess) -> None:
    with connect(server) as one:
        one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: " + b"x" * 100_000)
        assert read(one).startswith(b"HTTP/1.1 431 ")
    with connect(server) as one:
        head = b"POST /v1/evaluations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        one.sendall(head + b"Content-Length: 99999999999\r\n\r\n" + b"x" * 100_000)
        assert read(one).startswith(b"HTTP/1.1 413 ")
    assert server.ask("POST", "/v1/evaluations", submission(source="x" * (2 << 20))).status == 422
    assert server.ask("POST", "/v1/evaluations", b"[" * 1_000_000).status == 400
    assert works(server)


def test_half_closed(server: ServeProcess) -> None:
    with connect(server) as one:
        one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        one.shutdown(socket.SHUT_WR)
        assert b'"status":"healthy"' in read(one)
    with connect(server) as one:
        one.sendall(b"POST /v1/evaluations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
        one.shutdown(socket.SHUT_WR)
        assert read(one).startswith(b"HTTP/1.1 400 ")
    assert works(server)


def test_gone_in_the_middle(server: ServeProcess) -> None:
    """Clients that vanish while they wait, stream or send."""
    for text in (b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /v1/evaluations HTTP/1.1\r\nHost: localhost\r\n", b"\x16\x03\x01\x02\x00\x01"):
        for _ in range(50):
            one = connect(server)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # Close with a reset.
            one.sendall(text)
            one.close()
    assert works(server)


def test_a_thousand_open_connections(server: ServeProcess) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * MANY)), hard))
    streams = [connect(server) for _ in range(MANY)]
    for one in streams:
        one.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for one in streams:
        assert one.recv(12) == b"HTTP/1.1 200"
    assert works(server)
    open_now = [line for line in server.ask("GET", "/metrics").body.decode().splitlines() if line.startswith("kgym_http_connections ")]
    assert float(open_now[0].split()[1]) >= MANY
    for one in streams:
        one.close()
    assert works(server)
