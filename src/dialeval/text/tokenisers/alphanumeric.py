"""The words of Google's ROUGE: runs of a to z and 0 to 9 in lower-case text, stemmed or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dialeval.text.tokenisers.porter import stem

_RUN: Final = re.compile("[a-z0-9]+")


def split_alphanumeric(texts: Sequence[str]) -> list[list[str]]:
    """The runs of ASCII letters and digits, in lower case; other scripts have none.

    >>> split_alphanumeric(["Isn't it 3 o'clock, José?"])
    [['isn', 't', 'it', '3', 'o', 'clock', 'jos']]
    """
    return [_RUN.findall(text.lower()) for text in texts]


def split_stems(texts: Sequence[str]) -> list[list[str]]:
    """The same words by their Porter stems, where they have more than three letters."""
    return [[stem(word) if len(word) > 3 else word for word in words] for words in split_alphanumeric(texts)]
