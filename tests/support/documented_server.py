"""A small server of ours, after the documented formats of OpenAI's ``echo`` and vLLM's ``prompt_logprobs``.

It serves any ``Model``; ``Bigrams`` is one whose probabilities can be computed by hand.
"""

from __future__ import annotations

import json
import math
import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]

MARKS = ("<|im_start|>", "<|im_end|>", "<s>")


class Model(Protocol):
    name: str

    def encode(self, text: str) -> list[int]: ...

    def decode(self, token: int) -> str: ...

    def chat(self, messages: list[dict[str, str]], cue: bool, go_on: bool) -> str: ...

    def after(self, tokens: Sequence[int]) -> Sequence[Row]:
        """Log-probabilities of every token after each of ``tokens``."""


@dataclass
class Bigrams:
    """p(b | a) is in proportion to 1 + (31 a + 17 b) mod 7, over the bytes and three marks."""

    name: str = "bigrams"
    begin: bool = False
    """Whether a mark is put before every prompt, as many models want."""
    joined: str = ""
    """Two letters that the tokeniser makes one token of, as byte-pair encodings do."""

    @property
    def size(self) -> int:
        return 256 + len(MARKS) + 1

    def encode(self, text: str) -> list[int]:
        tokens = [258] if self.begin else []
        while text:
            mark = next((mark for mark in MARKS if text.startswith(mark)), None)
            if mark:
                tokens.append(256 + MARKS.index(mark))
                text = text[len(mark) :]
            elif self.joined and text.startswith(self.joined):
                tokens.append(259)
                text = text[2:]
            else:
                tokens += text[0].encode()
                text = text[1:]
        return tokens

    def decode(self, token: int) -> str:
        if token < 256:
            return bytes([token]).decode(errors="replace")
        return [*MARKS, self.joined][token - 256]

    def chat(self, messages: list[dict[str, str]], cue: bool, go_on: bool) -> str:
        text = "".join(f"<|im_start|>{one['role']}\n{one['content']}<|im_end|>\n" for one in messages)
        if go_on:
            return text.removesuffix("<|im_end|>\n")
        return text + ("<|im_start|>assistant\n" if cue else "")

    def after(self, tokens: Sequence[int]) -> list[Row]:
        return [_row(a, self.size) for a in tokens]


@cache
def _row(a: int, size: int) -> Row:
    weights = [1 + (31 * a + 17 * b) % 7 for b in range(size)]
    return np.array([math.log(weight / sum(weights)) for weight in weights])


@dataclass
class DocumentedServer:
    """What the server does, and what it was asked."""

    model: Model
    least_tokens: int = 0
    """1 for servers that refuse to generate nothing, as older versions of vLLM."""
    usage: bool = True
    window: int = 10**6
    """Tokens that a prompt may have."""
    tells_the_key: bool = False
    """Answer every request with an error that repeats the headers it came with."""
    bodies: list[dict] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def received(self) -> int:
        return len(self.bodies)

    def answer(self, path: str, body: dict, headers: dict[str, str]) -> tuple[int, dict]:
        self.bodies.append(body)
        self.keys.append(headers.get("authorization"))
        if self.tells_the_key:
            return 401, {"error": {"message": f"Not allowed: {headers!r} {'x' * 400} {headers!r}"}}
        if body["model"] != self.model.name:
            told = f"The model `{body['model']}` does not exist. " + "Try again. " * 80
            return 404, {"error": {"message": told, "type": "NotFoundError", "param": "model", "code": 404}}
        if body.get("max_tokens", 16) < self.least_tokens:
            return 400, {
                "error": {"message": "max_tokens must be at least 1, got 0.", "type": "BadRequestError"}
            }
        chat = path == "/v1/chat/completions"
        prompt = body.get("prompt", "")
        if chat:
            cue, go_on = body.get("add_generation_prompt", True), body.get("continue_final_message", False)
            prompt = self.model.chat(body["messages"], cue, go_on)
        if len(self.model.encode(prompt)) > self.window:
            told = f"This model's maximum context length is {self.window} tokens. Please reduce the length."
            return 400, {"error": {"message": told, "type": "BadRequestError", "code": 400}}
        return 200, self._complete(chat, prompt, body)

    def _complete(self, chat: bool, prompt: str, body: dict) -> dict:
        tokens = self.model.encode(prompt)
        rows = self.model.after(tokens)
        made, made_rows = self._generate(tokens, rows[-1], body)
        text = "".join(self.model.decode(token) for token in made)
        for stop in body.get("stop", []):
            text = text.split(stop)[0]
        answer: dict = {"id": "cmpl-1", "created": 1, "model": self.model.name}
        choice: dict = {"index": 0, "finish_reason": "length"}
        if self.usage:
            total = len(tokens) + len(made)
            answer["usage"] = {
                "prompt_tokens": len(tokens),
                "completion_tokens": len(made),
                "total_tokens": total,
            }
        if chat:
            choice["message"] = {"role": "assistant", "content": text}
            if body.get("logprobs"):
                content = [
                    {
                        "token": self.model.decode(token),
                        "logprob": float(row[token]),
                        "bytes": None,
                        "top_logprobs": [],
                    }
                    for token, row in zip(made, made_rows, strict=True)
                ]
                choice["logprobs"] = {"content": content}
        else:
            shown = (tokens if body.get("echo") else []) + made
            values: list[Row | None] = [None, *rows[:-1]] if body.get("echo") else []
            choice["text"] = (prompt if body.get("echo") else "") + text
            if body.get("logprobs") is not None:
                choice["logprobs"] = self._legacy(shown, [*values, *made_rows])
        if "prompt_logprobs" in body:
            listed = [None, *(self._place(t, row) for t, row in zip(tokens[1:], rows, strict=False))]
            (answer if chat else choice)["prompt_logprobs"] = listed
        answer["choices"] = [choice]
        return answer

    def _generate(self, tokens: list[int], row: Row, body: dict) -> tuple[list[int], list[Row]]:
        made: list[int] = []
        rows: list[Row] = []
        dice = random.Random(body.get("seed", 0))
        letters = range(97, 123)
        for _ in range(body.get("max_tokens", 16)):
            if body["temperature"]:
                token = dice.choices(letters, [math.exp(row[one]) for one in letters])[0]
            else:
                token = max(letters, key=lambda one: row[one])
            made.append(token)
            rows.append(row)
            row = self.model.after([*tokens, *made])[-1]
        return made, rows

    def _legacy(self, tokens: list[int], rows: list[Row | None]) -> dict:
        texts = [self.model.decode(token) for token in tokens]
        offsets = [sum(map(len, texts[:at])) for at in range(len(texts))]
        values = [None if row is None else float(row[token]) for token, row in zip(tokens, rows, strict=True)]
        tops = [None if value is None else {text: value} for text, value in zip(texts, values, strict=True)]
        return {"tokens": texts, "token_logprobs": values, "top_logprobs": tops, "text_offset": offsets}

    def _place(self, token: int, row: Row) -> dict[str, dict]:
        """The prompt's token, then the likeliest where that is another one."""
        kept = dict.fromkeys([token, int(row.argmax())])
        return {
            str(one): {
                "logprob": float(row[one]),
                "rank": 1 + int((row > row[one]).sum()),
                "decoded_token": self.model.decode(one),
            }
            for one in kept
        }


@contextmanager
def documented_server(model: Model | None = None, **settings: object) -> Iterator[DocumentedServer]:
    """A server on a free loopback port, as long as the block lasts."""
    served = DocumentedServer(model or Bigrams(), **settings)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, answer = served.answer(self.path, body, headers)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            if served.tells_the_key:
                self.send_header("X-Seen", headers.get("authorization", ""))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
