"""A rater's side of the server in plain HTTP: what simulated raters and load tests speak through."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dialeval.annotation.items import Item, Shown
from dialeval.data.types import Turn


class Reply(NamedTuple):
    """A response of the server."""

    status: int
    content: Any
    """Parsed JSON; None where it was something else."""


class Client:
    """One rater's session, over one connection that is kept open. Not for several threads."""

    def __init__(self, address: str, link: str, *, timeout: float = 60.0) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        self._secure, self._timeout = parts.scheme == "https", timeout
        self._connection: http.client.HTTPConnection | None = None
        self._link = link
        self._prefix = ""
        self._cookie = ""
        self.csrf = ""

    def enter(self) -> None:
        """Open the invitation link; raises PermissionError where it is refused."""
        status, headers, _ = self._request("GET", self._link)
        cookies = [value.partition(";")[0] for name, value in headers if name.lower() == "set-cookie"]
        if status != 303 or not cookies:
            raise PermissionError(f"the link was answered with {status}")
        self._cookie = "; ".join(cookies)
        location = next(value for name, value in headers if name.lower() == "location")
        self._prefix = location.removesuffix("/task")

    def task(self) -> Reply:
        """The item at hand."""
        reply = self._json("GET", "/api/task")
        if isinstance(reply.content, dict):
            self.csrf = reply.content.get("csrf", self.csrf)
        return reply

    def answer(
        self, item: str, revision: int, answers: Mapping[str, object], seconds: float | None = None
    ) -> Reply:
        """Post an answer."""
        content = {"item": item, "revision": revision, "answers": answers, "seconds": seconds}
        return self._json("POST", "/api/answers", content)

    def skip(self, item: str) -> Reply:
        """Give an item back."""
        return self._json("POST", "/api/skip", {"item": item})

    def say(self, item: str, text: str) -> Reply:
        """Say something to the system of an item."""
        return self._json("POST", "/api/chat", {"item": item, "text": text})

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _json(self, verb: str, path: str, content: object = None) -> Reply:
        body = None if content is None else json.dumps(content).encode()
        status, headers, raw = self._request(verb, self._prefix + path, body)
        kinds = [value for name, value in headers if name.lower() == "content-type"]
        parsed = json.loads(raw) if kinds and kinds[0].startswith("application/json") else None
        return Reply(status, parsed)

    def _request(
        self, verb: str, path: str, body: bytes | None = None
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            self._connection = kind(self._host, self._port, timeout=self._timeout)
        headers = {"cookie": self._cookie, "x-csrf-token": self.csrf, "content-type": "application/json"}
        try:
            self._connection.request(verb, path, body, headers)
            response = self._connection.getresponse()
            return response.status, response.getheaders(), response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise


def item_of(content: Mapping[str, Any]) -> Item:
    """The item of a page's JSON."""
    turns = tuple(Turn(turn["speaker"], turn["text"], turn.get("name")) for turn in content["context"])
    shown = tuple(Shown(one["id"], one["text"]) for one in content["candidates"])
    return Item(content["id"], turns, shown, content["payload"])
