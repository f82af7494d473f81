"""The load generator of `bench` counts what it is answered."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from nekonymous_site.benchmarks.failures import BenchmarkFailed
from nekonymous_site.benchmarks.load_generator import Address, deal_out, run_load


class _EveryThirdRefused(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503 if body.endswith(b"0") else 200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.flush()
        self.wfile.write(b"yes")

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[Address]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _EveryThirdRefused) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield "127.0.0.1", server.server_port
        server.shutdown()
        thread.join()


def _requests(count: int) -> list[bytes]:
    return [b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n%d" % (number % 3) for number in range(count)]


@pytest.mark.parametrize("clients", [1, 4])
def test_every_answer_is_counted_and_every_refusal(address: Address, clients: int) -> None:
    figures = run_load(address, deal_out(_requests(30), clients=clients), expected=200)
    assert (len(figures.durations), figures.refused) == (30, 10)
    assert 0 < max(figures.durations) <= figures.seconds


def test_a_server_that_is_not_there_is_named(address: Address) -> None:
    host, _port = address
    with pytest.raises(BenchmarkFailed, match="port 9 cannot be used"):
        run_load((host, 9), [_requests(1)], expected=200)
