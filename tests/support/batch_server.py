"""A server with the batch API: files, batches that end after a few looks, results with errors among them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class BatchServer:
    """What the server answers, and what it was asked."""

    whole: Callable[[dict], dict | None]
    """From a request to its answer; None for an error of this one in a batch."""
    looks: int = 2
    """How often a batch is asked for before it has ended."""
    ends: str = "completed"
    batching: bool = True
    """Whether there is a batch API."""
    port: int = 0
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, dict] = field(default_factory=dict)
    single: list[dict] = field(default_factory=list)
    """Requests that were sent by themselves."""
    polls: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def upload(self, raw: bytes) -> dict:
        """Keep the file of a form."""
        assert b'name="purpose"\r\n\r\nbatch\r\n' in raw
        content = re.search(rb'name="file".*?\r\n\r\n(.*?)\r\n--', raw, re.DOTALL)
        assert content, raw[:500]
        name = f"file-{len(self.files)}"
        self.files[name] = content[1].decode()
        return {"id": name, "object": "file"}

    def start(self, body: Mapping) -> dict:
        assert body["endpoint"] == "/v1/chat/completions"
        assert body["completion_window"] == "24h"
        name = f"batch_{len(self.batches)}"
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        self.batches[name] = {"id": name, "status": "in_progress", "lines": lines, "looks": 0}
        return {"id": name, "status": "validating"}

    def look(self, name: str) -> dict | None:
        self.polls += 1
        batch = self.batches.get(name)
        if batch is None:
            return None
        batch["looks"] += 1
        total = len(batch["lines"])
        if batch["looks"] < self.looks:
            return {"id": name, "status": "in_progress", "request_counts": {"total": total, "completed": 1}}
        output = f"{name}-output"
        self.files[output] = "".join(map(self._result, batch["lines"]))
        counts = {"total": total, "completed": total, "failed": 0}
        errors = {"data": [{"message": "It took too long."}]} if self.ends != "completed" else None
        return {
            "id": name,
            "status": self.ends,
            "output_file_id": output,
            "request_counts": counts,
            "errors": errors,
        }

    def _result(self, line: Mapping) -> str:
        answer = self.whole(line["body"])
        if answer is None:
            response = {"status_code": 500, "body": {"error": {"message": "out of order"}}}
        else:
            response = {"status_code": 200, "body": answer}
        return json.dumps({"custom_id": line["custom_id"], "response": response, "error": None}) + "\n"


@contextmanager
def batch_server(whole: Callable[[dict], dict | None], **settings: object) -> Iterator[BatchServer]:
    """The server on a free loopback port, as long as the block lasts."""
    state = BatchServer(whole, **settings)  # type: ignore[arg-type]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if not state.batching and not self.path.endswith("completions"):
                self.give(None, missing=404)
            elif self.path == "/v1/files":
                self.give(state.upload(raw))
            elif self.path == "/v1/batches":
                self.give(state.start(json.loads(raw)))
            else:
                state.single.append(json.loads(raw))
                self.give(state.whole(state.single[-1]))

        def do_GET(self) -> None:
            kind, _, rest = self.path.removeprefix("/v1/").partition("/")
            if kind == "files":
                self.give(state.files[rest.removesuffix("/content")])
            else:
                self.give(state.look(rest), missing=404)

        def give(self, content: dict | str | None, missing: int = 500) -> None:
            status = missing if content is None else 200
            body = content if isinstance(content, str) else json.dumps(content or {"error": "none"})
            with suppress(ConnectionError):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body.encode())))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.port = http.server_address[1]
        thread = Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            http.shutdown()
            thread.join()
