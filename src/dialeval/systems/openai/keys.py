"""API keys, read from the environment and kept out of everything that is written or shown."""

from __future__ import annotations

import base64
import html
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from dialeval.errors import ResourceUnavailable

_HIDDEN: Final = "[key hidden]"
_BEARER: Final = re.compile(r"(?i)\b(bearer|basic)(\s+|%20|\+)[^\s\"'\\,;}]+")
_LONG_ENOUGH: Final = 12
_LOGGERS: Final = ("httpx2", "httpcore2.connection", "httpcore2.http11", "httpcore2.http2")
_ESCAPED: Final = re.compile(r"(?<!\\)\\+(?:u\{?0{0,4}([0-9a-fA-F]{2})\}?|x([0-9a-fA-F]{2}))")
"""Begins where a run of backslashes does: a million of them, each tried as the first, would take days."""
_PERCENT: Final = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_ENTITY: Final = re.compile(r"&#0*[0-9]{8,}")
"""A number that stands for no character in HTML; Python refuses to read very long ones."""
_BREAK: Final = re.compile(r"\\{1,4}[nrt]")
"""A line break in JSON."""
_DEPTH: Final = 4
"""Encodings of encodings that are undone."""
_ALPHABET: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-")
_WORD: Final = 400
"""Letters of base64 before and after the key that are hidden with it, at most."""


class Key:
    """The key of a server, or none; shows itself to nobody but the server."""

    __slots__ = ("_secret",)

    def __init__(self, secret: str | None) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return "Key(hidden)" if self._secret else "Key(none)"

    @property
    def headers(self) -> dict[str, str]:
        """Return what the server must see."""
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def hide(self, text: str) -> str:
        """``text`` as it may be shown: without the key in any spelling, and without any other bearer's."""
        return _BEARER.sub(lambda match: f"{match[1]} {_HIDDEN}", self.hide_in_answer(text, short=True))

    def hide_in_answer(self, text: str, *, short: bool = False) -> str:
        """``text`` without the key; unless ``short``, one of a few letters, such as EMPTY, is taken for a word.

        It is found in URL, JSON and HTML encoding, whole or in part and one in another, in base64, also within a
        longer text such as ``Bearer KEY``, in hexadecimal digits, and over line breaks.
        """
        secret = self._secret
        if not secret or not (short or len(secret) >= _LONG_ENOUGH) or not _holds(text, secret):
            return text
        text = _without(text, secret)
        # Encoded in more ways than can be cut out: then nothing of it is shown.
        return _HIDDEN if len(secret) >= _LONG_ENOUGH and _holds(text, secret) else text

    def hide_in_all(self, content: object) -> object:
        """The content of a JSON document with the key hidden in every text of it."""
        if not self._secret:
            return content
        if isinstance(content, str):
            return self.hide_in_answer(content)
        if isinstance(content, Mapping):
            return {self.hide_in_all(name): self.hide_in_all(value) for name, value in content.items()}
        return [self.hide_in_all(part) for part in content] if isinstance(content, list) else content


def _holds(text: str, secret: str) -> bool:
    """Whether the secret is in the text after it is decoded."""
    plain = text
    for _ in range(_DEPTH):
        before = plain
        plain = (
            _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), plain) if "\\" in plain else plain
        )
        plain = _PERCENT.sub(_from_percent, plain) if "%" in plain else plain
        plain = html.unescape(_ENTITY.sub("&", plain)) if "&" in plain else plain
        if plain == before:
            break
    if secret in plain:
        return True
    plain = "".join(_BREAK.sub("", plain).replace("\\", "").split())
    lower = plain.lower()
    wanted = _encoded(secret) if len(secret) >= _LONG_ENOUGH else ()
    return (
        (len(secret) >= _LONG_ENOUGH and secret in plain)
        or any(form in plain for form in wanted)
        or secret.encode().hex() in lower
    )


def _from_percent(found: re.Match[str]) -> str:
    return bytes.fromhex(found[0].replace("%", "")).decode(errors="replace")


@lru_cache(maxsize=8)
def _encoded(secret: str) -> tuple[str, ...]:
    """The letters of base64, in both alphabets, that hold the secret whatever stands before and after it."""
    forms: set[str] = set()
    for before in range(3):
        padded = b"\0" * before + secret.encode()
        whole = len(padded) // 3 * 3
        letters = base64.b64encode(padded[:whole]).decode()[(before * 8 + 5) // 6 :]
        forms |= {letters, letters.translate(str.maketrans("+/", "-_"))}
    return tuple(sorted(form for form in forms if len(form) >= 4))


def _without(text: str, secret: str) -> str:
    """The text without the secret in any spelling, and without the words of base64 that hold it."""
    parts, last = [], 0
    for found in _spellings(secret).finditer(text):
        start, end = found.span()
        if end <= last:
            continue
        if found.lastgroup == "base64":
            while start > max(last, found.start() - _WORD) and text[start - 1] in _ALPHABET:
                start -= 1
            while end < min(len(text), found.end() + _WORD) and text[end] in _ALPHABET:
                end += 1
        parts += [text[last:start], _HIDDEN]
        last = end
    return "".join([*parts, text[last:]])


@lru_cache(maxsize=8)
def _spellings(secret: str) -> re.Pattern[str]:
    """Every spelling of the secret, and the letters of base64 that hold it."""
    encoded = _encoded(secret) if len(secret) >= _LONG_ENOUGH else (_plain_base64(secret),)
    digits = f"(?i:{secret.encode().hex()})"
    letters = "|".join(map(_spelt, encoded))
    return re.compile(f"(?P<base64>{letters})|{_spelt(secret)}|{digits}")


def _plain_base64(secret: str) -> str:
    return base64.b64encode(secret.encode()).decode()


def _spelt(text: str) -> str:
    """A pattern of the text with every letter as it is, or encoded for URLs, JSON or HTML."""
    return rf"(?:\s|{_BREAK.pattern}){{0,8}}".join(
        rf"(?:\\{{0,4}}{re.escape(letter)}|%(?:25){{0,3}}(?i:{ord(letter):02x})"
        rf"|\\{{1,4}}(?:u\{{?0{{0,4}}|x)(?i:{ord(letter):02x})\}}?"
        rf"|&#0{{0,5}}{ord(letter)};|&#[xX]0{{0,5}}(?i:{ord(letter):x});)"
        for letter in text
    )


def read_key(variable: str | None) -> Key:
    """The key in that environment variable; no key if none is named."""
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
