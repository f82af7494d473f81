"""A real webhook: an HTTP server in a thread that answers from a script and remembers what came."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override

WAIT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the webhook says to one delivery."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One request as it came in."""

    at: float
    headers: dict[str, str]
    body: bytes

    @property
    def update(self) -> Any:  # noqa: ANN401 - JSON
        """The body as JSON."""
        return json.loads(self.body)


class WebhookReceiver:
    """Answers 200 unless ``answer`` says otherwise; it is called with each delivery."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []
        self.answer: Callable[[Delivery], Answer] = lambda _delivery: Answer()
        self._arrived = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler_class())
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.02))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def await_deliveries(self, count: int) -> list[Delivery]:
        """Wait until so many requests have come."""
        with self._arrived:
            arrived = self._arrived.wait_for(lambda: len(self.deliveries) >= count, timeout=WAIT_SECONDS)
        assert arrived, f"{len(self.deliveries)} of {count} deliveries came"
        return list(self.deliveries)

    def _take(self, headers: dict[str, str], body: bytes) -> Answer:
        delivery = Delivery(time.monotonic(), headers, body)
        answer = self.answer(delivery)
        with self._arrived:
            self.deliveries.append(delivery)
            self._arrived.notify_all()
        return answer

    def _handler_class(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = receiver._take(dict(self.headers), body)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            @override
            def log_message(self, format: str, *args: object) -> None:
                """A test's output stays free of access lines."""

        return Handler
