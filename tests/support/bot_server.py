"""A chat server of ours whose every answer a test decides, as text or byte for byte; it can be redeployed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Raw:
    """An answer byte for byte; without a length it ends with the connection, or never."""

    body: bytes | Iterable[bytes]
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)


def completion(text: str | None, finish: str = "stop") -> dict:
    """The body of a chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
    return {"choices": [choice], "usage": usage}


@dataclass
class BotServer:
    """What the server says, and what it was asked."""

    reply: Callable[[str], str | dict | Raw]
    """From the last turn to its answer; another one is another deployment."""
    asked: list[str] = field(default_factory=list)
    bodies: list[dict] = field(default_factory=list)
    port: int = 0
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def bot_server(
    reply: Callable[[str], str | dict | Raw] = str, whole: Callable[[dict], dict | Raw] | None = None
) -> Iterator[BotServer]:
    """A server on a free loopback port, as long as the block lasts; ``whole`` answers by the whole request."""
    bot = BotServer(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            last = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
            bot.bodies.append(body)
            bot.headers.append({name.lower(): value for name, value in self.headers.items()})
            bot.asked.append(last)
            answer = bot.reply(last) if whole is None else whole(body)
            if isinstance(answer, str):
                answer = completion(answer)
            if isinstance(answer, dict):
                answer = Raw(json.dumps(answer).encode())
            with suppress(ConnectionError):
                self.give(answer)

        def give(self, answer: Raw) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            if isinstance(answer.body, bytes):
                self.send_header("Content-Length", str(len(answer.body)))
            self.send_header("Connection", "close")
            self.end_headers()
            for part in [answer.body] if isinstance(answer.body, bytes) else answer.body:
                self.wfile.write(part)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    bot.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield bot
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
