"""Simple tokenisers; which one a metric takes can move its number."""

from __future__ import annotations

import re
from typing import Final

# Scripts written without spaces, where a run of letters is a clause and not a word: Han, Hiragana and Katakana.
# Hangul is left out, because Korean puts spaces between words.
_UNSPACED: Final = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_TERM: Final = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def split_white_space(text: str) -> list[str]:
    """The pieces between any whitespace, as nlg-eval's BLEU and CIDEr see them; none of blank text."""
    return text.split()


def split_blanks(text: str) -> list[str]:
    """The pieces between single spaces of the stripped text, as nlg-eval's ROUGE-L sees them.

    Two blanks in a row make an empty word, tabs and line breaks part no words, blank text is one empty word.
    """
    return text.strip().split(" ")


def search_terms(text: str) -> list[str]:
    r"""The words by which text is looked up: runs of ``\w``, case-folded; Han and kana one by one.

    >>> search_terms("Isn't 東京 GREAT?")
    ['isn', 't', '東', '京', 'great']
    """
    # Folding each term, and not the whole text: folding can add marks that are not word characters (İ).
    return [term.casefold() for term in _TERM.findall(text)]


def folded(text: str) -> str:
    """The text as it is where case and spacing make no difference: case-folded, words separated by one space."""
    return " ".join(text.casefold().split())
