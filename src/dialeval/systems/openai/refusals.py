"""What a server says when it does not answer, and which of it concerns one item only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from dialeval.errors import RunFailed
from dialeval.systems.openai.keys import Key

_SHOWN: Final = 300
_RETRIED: Final = frozenset({408, 409, 425, 429})
_TOO_LONG: Final = re.compile(
    r"context_length_exceeded|exceed_context_size|context[ _-]?(length|size|window)|prompt is too long",
    re.IGNORECASE,
)
_FILTERED: Final = re.compile(r"content_filter|content_policy|responsibleai", re.IGNORECASE)


class Refusal(RunFailed):
    """A server's answer that sending the same again would not change."""

    def __init__(self, status: int, said: str, todo: str) -> None:
        self.status, self.said = status, said
        stop = "" if said.endswith((".", "!", "?")) else "."
        super().__init__(f"The server refused (HTTP {status}): {said}{stop} {todo}".rstrip())

    @property
    def too_long(self) -> bool:
        """Whether the context is longer than the server's window."""
        return self.status in (400, 413, 422) and bool(_TOO_LONG.search(self.said))

    @property
    def filtered(self) -> bool:
        """Whether the server will not speak about this."""
        return self.status in (400, 403, 422) and bool(_FILTERED.search(self.said))

    @property
    def one_item(self) -> bool:
        """Whether it concerns what was asked about rather than how: other items may well be answered."""
        return self.too_long or self.filtered

    @property
    def bad_request(self) -> bool:
        """Whether it was what we asked, rather than who or where."""
        return self.status in (400, 422)


def worth_retrying(status: int, body: str) -> bool:
    """Whether the same request may be answered a little later."""
    if status == 429:
        return "insufficient_quota" not in body
    return status in _RETRIED or (status >= 500 and status != 501)


def refusal(status: int, body: str, key: Key, variable: str | None) -> Refusal:
    """The server's message, shortened, without the key, and what to do about it."""
    return Refusal(status, said(body, key), _todo(status, body, variable))


def said(body: str, key: Key) -> str:
    """What an error's body says, in one line that may be shown."""
    # Hidden before it is cut: half a key would no longer be found.
    words = " ".join(key.hide(_message(body)).split())
    return f"{words[:_SHOWN].rstrip()} ..." if len(words) > _SHOWN else words or "it gave no reason."


def error_in(body: object) -> str | None:
    """The error that some servers put into an answer of status 200, as text; None where there is none."""
    found = body.get("error") if isinstance(body, Mapping) else None
    return json.dumps(body) if found and not (isinstance(body, Mapping) and body.get("choices")) else None


def _message(body: str) -> str:
    """The message of an error, with its code and type, where the body is JSON as OpenAI or FastAPI write it."""
    try:
        content = json.loads(body)
    except ValueError:
        return re.sub(r"<[^>]*>", " ", body)
    if not isinstance(content, Mapping):
        return body
    error = content.get("error", content)
    if not isinstance(error, Mapping):
        return str(error)
    told = error.get("message", error.get("detail"))
    if told is None:
        return body
    named = [str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str)]
    return f"{told} ({', '.join(dict.fromkeys(named))})" if named else str(told)


def _todo(status: int, body: str, variable: str | None) -> str:
    if status in (401, 403):
        return (
            f"Check the key in {variable!r}."
            if variable
            else "Name the variable that holds its key in 'api_key_env'."
        )
    if status == 404:
        return "Check 'model' and 'base_url', which mostly ends in /v1."
    if status == 429:
        return "The account has no credit left."
    if 300 <= status < 400:
        return "It sends requests elsewhere; give that address as 'base_url'."
    if "logprobs" in body:
        return "If it does not give log-probabilities, set 'logprobs: false'."
    if "max_completion_tokens" in body:
        return "Set 'extra: {max_tokens: null, max_completion_tokens: 40}'."
    return ""
