"""API keys, read from the environment and kept out of everything that is written or shown."""

from __future__ import annotations

import base64
import json
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote, quote_plus

from dialeval.errors import ResourceUnavailable

_HIDDEN: Final = "[key hidden]"
_BEARER: Final = re.compile(r"(?i)\b(bearer|basic)(\s+|%20|\+)[^\s\"'\\,;}]+")
_LONG_ENOUGH: Final = 12
_LOGGERS: Final = ("httpx2", "httpcore2.connection", "httpcore2.http11", "httpcore2.http2")


class Key:
    """The key of a server, or none; shows itself to nobody but the server."""

    __slots__ = ("_forms", "_secret")

    def __init__(self, secret: str | None) -> None:
        self._secret = secret
        self._forms = _forms(secret) if secret else ()

    def __repr__(self) -> str:
        return "Key(hidden)" if self._secret else "Key(none)"

    @property
    def headers(self) -> dict[str, str]:
        """What the server must see."""
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def hide(self, text: str) -> str:
        """``text`` as it may be shown: without the key in any spelling, and without any other bearer's."""
        return _BEARER.sub(lambda match: f"{match[1]} {_HIDDEN}", self.hide_in_answer(text, short=True))

    def hide_in_answer(self, text: str, *, short: bool = False) -> str:
        """``text`` without the key; unless ``short``, one of a few letters, such as EMPTY, is taken for a word."""
        if self._secret and (short or len(self._secret) >= _LONG_ENOUGH):
            for form in self._forms:
                text = text.replace(form, _HIDDEN)
        return text


def read_key(variable: str | None) -> Key:
    """The key in that environment variable; no key where none is named."""
    if variable is None:
        return Key(None)
    secret = os.environ.get(variable, "").strip()
    if not secret:
        raise ResourceUnavailable(
            f"The environment variable {variable!r}, named by 'api_key_env', is not set. "
            f"Set it to the server's key, or leave 'api_key_env' out if the server needs none."
        )
    if not secret.isascii() or not secret.isprintable():
        raise ResourceUnavailable(
            f"The environment variable {variable!r} holds characters that no key has (a line break, or letters beyond "
            "ASCII). Set it to the server's key alone."
        )
    return Key(secret)


@contextmanager
def hidden_in_logs(key: Key) -> Iterator[None]:
    """Keep the key out of what the HTTP library logs: at the level of DEBUG, it logs all headers a server sends."""

    def hide(record: logging.LogRecord) -> bool:
        record.msg, record.args = key.hide(record.getMessage()), ()
        return True

    # A logger's filters do not see what its children log, so each has its own.
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(hide)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(hide)


def _forms(secret: str) -> tuple[str, ...]:
    """The spellings under which a server may send the key back, longest first."""
    encoded = base64.b64encode(secret.encode()).decode()
    forms = {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1], encoded}
    return tuple(sorted(forms, key=len, reverse=True))
