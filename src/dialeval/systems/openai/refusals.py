"""Errors that a server answers with, and which of them concern one item only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.errors import RunFailed, writable_text
from dialeval.systems.openai.keys import Key

Kind: TypeAlias = Literal["too_long", "filtered", "unsuitable", "other"]
"""Why a server refuses: the context is longer than its window, it will not speak about this, it rejects this request
while it answers others of the same settings, or anything else."""

_SHOWN: Final = 300
_PLAIN: Final = 4096
"""Characters of a body without a message that are looked at."""
_RETRIED: Final = frozenset({408, 409, 425, 429})
# Error codes of OpenAI and llama.cpp, and the words of vLLM, which has no code for it.
_TOO_LONG: Final = re.compile(
    r"context_length_exceeded|exceed_context_size|context[ _-]?(length|size|window)|prompt is too long",
    re.IGNORECASE,
)
_FILTERED: Final = re.compile(r"content_filter|content_policy|responsibleai", re.IGNORECASE)


class ServerError(NamedTuple):
    """The fields of an error as OpenAI, FastAPI and others write it."""

    message: str
    codes: tuple[str, ...] = ()
    """Its ``code`` and ``type``, where they are texts."""
    parameter: str | None = None
    """The request's parameter that it is about, where the server says so in ``param``."""

    def names(self, parameter: str) -> bool:
        """Whether it is about this parameter of the request; many servers say so in the message alone."""
        return self.parameter == parameter or parameter in self.message

    def kind(self, status: int) -> Kind:
        """Why the server refuses."""
        text = " ".join((*self.codes, self.message))
        if status in (400, 413, 422) and _TOO_LONG.search(text):
            return "too_long"
        return "filtered" if status in (400, 403, 422) and _FILTERED.search(text) else "other"


class Refusal(RunFailed):
    """A server's answer that sending the same again would not change."""

    def __init__(
        self, status: int, said: str, todo: str = "", kind: Kind = "other", *, wants_tokens: bool = False
    ) -> None:
        self.status, self.said, self.kind = status, said, kind
        self.wants_tokens = wants_tokens
        """Whether the server is not content with our ``max_tokens``."""
        stop = "" if said.endswith((".", "!", "?")) else "."
        super().__init__(f"The server refused (HTTP {status}): {said}{stop} {todo}".rstrip())

    @property
    def one_item(self) -> bool:
        """Whether it concerns what was asked about rather than how: other items may well be answered."""
        return self.kind != "other"

    @property
    def bad_request(self) -> bool:
        """Whether it was what we asked, rather than who or where."""
        return self.status in (400, 413, 422)


class Unusable(RunFailed):
    """An answer that the server gave and nobody can use; it concerns one item, and is never cached."""


def worth_retrying(status: int, body: str) -> bool:
    """Whether the same request may be answered a little later."""
    if status == 429:
        return "insufficient_quota" not in read_error(body).codes
    return status in _RETRIED or (status >= 500 and status != 501)


def refusal(status: int, body: str, key: Key, variable: str | None) -> Refusal:
    """The server's message, shortened, without the key, and what to do about it."""
    error = read_error(body)
    return Refusal(
        status,
        said(body, key),
        _todo(status, error, variable),
        error.kind(status),
        wants_tokens=error.names("max_tokens"),
    )


def said(body: str, key: Key) -> str:
    """What an error's body says, in one line that may be shown."""
    error = read_error(body)
    message = f"{error.message} ({', '.join(error.codes)})" if error.codes else error.message
    # Hidden before it is cut: half a key would no longer be found.
    words = " ".join(writable_text(key.hide(message)).split())
    return f"{words[:_SHOWN].rstrip()} ..." if len(words) > _SHOWN else words or "it gave no reason."


def error_in(body: object) -> str | None:
    """The error that some servers put into an answer of status 200, as text; None where there is none."""
    error = body.get("error") if isinstance(body, Mapping) else None
    return json.dumps(body) if error and not (isinstance(body, Mapping) and body.get("choices")) else None


def read_error(body: str) -> ServerError:
    """The error in a body, which may be JSON of several shapes, HTML or plain text."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return ServerError(re.sub(r"<[^>]*>", " ", body[:_PLAIN]))
    if not isinstance(content, Mapping):
        return ServerError(body[:_PLAIN])
    error = content.get("error", content)
    if not isinstance(error, Mapping):
        return ServerError(str(error))
    message = error.get("message", error.get("detail"))
    if message is None:
        return ServerError(body[:_PLAIN])
    codes = dict.fromkeys(error[name] for name in ("code", "type") if isinstance(error.get(name), str))
    parameter = error.get("param")
    return ServerError(str(message), tuple(codes), parameter if isinstance(parameter, str) else None)


def _todo(status: int, error: ServerError, variable: str | None) -> str:
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
    if error.names("logprobs"):
        return "If it does not give log-probabilities, set 'logprobs: false'."
    if error.names("max_completion_tokens"):
        return "Leave 'max_tokens' out of 'decoding', or set 'extra: {max_tokens: null, max_completion_tokens: 60}'."
    return ""
