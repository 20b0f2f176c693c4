"""WordPiece tokenisation by an uncased BERT vocabulary (Wu et al., 2016; Devlin et al., 2019)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

UNKNOWN: Final = "[UNK]"
_LONGEST: Final = 100
# The ranges that BERT calls Chinese characters, each of which is a word of its own; kana and hangul are not.
_HAN: Final = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f])"
)
_ASCII_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, slots=True, eq=False)
class WordPiece:
    """A vocabulary of pieces, by which any text is spelled greedily, longest piece first."""

    vocabulary: Mapping[str, int]

    def pieces(self, text: str) -> list[int]:
        """The ids of the text's pieces, as the BERT tokeniser gives them, special marks left out."""
        return [piece for word in _words(text) for piece in self._spell(word)]

    def _spell(self, word: str) -> list[int]:
        vocabulary, size = self.vocabulary, len(word)
        if size > _LONGEST:
            return [vocabulary[UNKNOWN]]
        if (whole := vocabulary.get(word)) is not None:
            return [whole]
        spelled: list[int] = []
        start = 0
        while start < size:
            mark = "##" if start else ""
            for end in range(size, start, -1):
                piece = vocabulary.get(mark + word[start:end])
                if piece is not None:
                    spelled.append(piece)
                    start = end
                    break
            else:
                return [vocabulary[UNKNOWN]]
        return spelled


def _words(text: str) -> Iterator[str]:
    """The words between spaces of the text as BERT sees it, punctuation marks one by one."""
    if text.isascii() and text.isalnum():
        yield text.lower()
        return
    for chunk in _normalised(text).split():
        word = ""
        for char in chunk:
            if _is_punctuation(char):
                if word:
                    yield word
                yield char
                word = ""
            else:
                word += char
        if word:
            yield word


def _normalised(text: str) -> str:
    clean = "".join(" " if char.isspace() else char for char in text if not _is_dropped(char))
    bare = unicodedata.normalize("NFD", _HAN.sub(r" \1 ", clean))
    # One by one: lower-casing a whole word writes a final sigma in another way than BERT's.
    return "".join(char.lower() for char in bare if unicodedata.category(char) != "Mn")


def _is_dropped(char: str) -> bool:
    return char == "\ufffd" or (unicodedata.category(char) in ("Cc", "Cf", "Co") and char not in "\t\n\r")


def _is_punctuation(char: str) -> bool:
    return char in _ASCII_PUNCTUATION or unicodedata.category(char)[0] == "P"
