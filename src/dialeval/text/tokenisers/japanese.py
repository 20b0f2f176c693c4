"""Japanese words by MeCab with the IPA dictionary, equal to sacrebleu's ``ja-mecab``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Final, Protocol

from dialeval.errors import ResourceUnavailable

_ENTRIES: Final = 392126
_INSTALL: Final = "Install it with: pip install mecab-python3 ipadic"


class _Tagger(Protocol):
    def parse(self, text: str) -> str: ...
    def version(self) -> str: ...


def split_japanese(texts: Sequence[str]) -> list[list[str]]:
    """The words of MeCab; a ResourceUnavailable says how to install it where it is absent."""
    tagger = _tagger()
    return [tagger.parse(text.strip()).split() for text in texts]


def mecab_version() -> str:
    """Which MeCab and dictionary cut the words, for signatures."""
    return f"{_tagger().version()}-IPA"


@cache
def _tagger() -> _Tagger:
    try:
        ipadic, mecab = import_module("ipadic"), import_module("MeCab")
    except ImportError:
        raise ResourceUnavailable(f"Japanese words need MeCab, which is not installed. {_INSTALL}") from None
    tagger = mecab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
    dictionary = tagger.dictionary_info()
    if dictionary.size != _ENTRIES or dictionary.next is not None:
        found = f"a dictionary of {dictionary.size:,} entries"
        raise ResourceUnavailable(
            f"Japanese words: found {found}, needed the IPA dictionary of {_ENTRIES:,} and no other. {_INSTALL}"
        )
    words: _Tagger = tagger
    return words
