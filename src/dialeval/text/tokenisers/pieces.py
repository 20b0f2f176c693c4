"""Cache of the words of pieces between spaces: real text is made of few different pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

_MOST: Final = 1 << 18


class Memory(dict[str, tuple[str, ...]]):
    """What ``words`` gave for every piece looked up so far, forgotten when there are too many."""

    __slots__ = ("_words",)

    def __init__(self, words: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if len(self) >= _MOST:
            self.clear()
        words = self[piece] = tuple(self._words(piece))
        return words


class PieceByPiece:
    """A tokeniser whose rules see no further than the spaces around a piece, and the ends of the text."""

    __slots__ = ("_first", "_last", "_middle", "_work_out")

    def __init__(self, work_out: Callable[[str], list[str]]) -> None:
        self._work_out = work_out
        self._first = Memory(lambda piece: work_out(f"{piece} "))
        self._middle = Memory(lambda piece: work_out(f" {piece} "))
        self._last = Memory(lambda piece: work_out(f" {piece}"))

    def split(self, text: str) -> list[str]:
        """The words that ``work_out`` gives for the whole text."""
        first, *rest = text.split(" ")
        if not rest:
            return self._work_out(text)
        words = list(self._first[first])
        middle = self._middle
        for piece in rest[:-1]:
            words += middle[piece]
        words += self._last[rest[-1]]
        return words
