"""Which sets of synonyms an English word belongs to, directly or through its base form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

# WordNet's rules of detachment, in the order in which they are tried: endings of nouns, verbs, adjectives.
_DETACHMENTS: Final = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


class Synonyms:
    """WordNet's synsets by word, and the irregular forms that are looked up under their bases.

    ``synsets`` gives a word's numbers as text, parted by blanks: few words are ever asked for.
    """

    def __init__(self, synsets: Mapping[str, str], bases: Mapping[str, Sequence[str]]) -> None:
        self._synsets, self._bases = synsets, bases

    def of(self, word: str) -> set[int]:
        """The synsets of the word as it stands and of its base form."""
        forms = {word, *(self._bases.get(word) or (self._base(word),))}
        return {int(number) for form in forms for number in self._synsets.get(form, "").split()}

    def _base(self, word: str) -> str:
        """The first known word that a detachment gives, or nothing."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        for ending, replacement in _DETACHMENTS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in self._synsets:
                    return base
        return ""
