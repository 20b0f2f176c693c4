"""Texts that show nothing to a reader."""

from __future__ import annotations

import re
from typing import Final

_VISIBLE: Final = re.compile(
    r"[^\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Any character but white space, controls, and those that Unicode gives no shape of their own."""


def is_blank(text: str) -> bool:
    r"""Whether the text is empty, or has nothing but white space and invisible characters.

    >>> is_blank(" \u200b\n"), is_blank("?")
    (True, False)
    """
    return _VISIBLE.search(text) is None
