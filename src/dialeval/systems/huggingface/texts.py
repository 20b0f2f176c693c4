"""Log-probabilities of plain texts: no roles, no chat template, only what comes before and what comes after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.systems.huggingface.files import EMBEDDED, ModelFiles, find_model
from dialeval.systems.huggingface.loading import AT_ONCE, Loaded, Precision, Wanted, load
from dialeval.systems.huggingface.prompting import Tokens

_WORD: Final = "a"


class Frame(NamedTuple):
    """Tokens before and after a text."""

    lead: Tokens
    tail: Tokens


@dataclass(frozen=True, slots=True)
class TextModel:
    """A language model by name or folder that continues texts as they stand."""

    model: str = EMBEDDED
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    @property
    def fact(self) -> str:
        """Name and hash of the model as a signature shows them."""
        return self._files.fact

    @property
    def resources(self) -> Mapping[str, str]:
        """The model's name and the sha256 of its files."""
        return {self._files.name: self._files.sha256}

    @property
    def seq2seq(self) -> bool:
        """Whether an encoder reads what comes before."""
        return self._load().seq2seq

    @property
    def end(self) -> str:
        """The text of the token that ends a document, or a response."""
        tokenizer = self._load().prompting.tokenizer
        text: str = tokenizer.eos_token or tokenizer.decode([self._load().end])
        return text

    @property
    def frame(self) -> Frame:
        """The tokens that the tokenizer puts around a text."""
        tokenizer = self._load().prompting.tokenizer
        whole = tokenizer(_WORD)["input_ids"]
        word = tokenizer(_WORD, add_special_tokens=False)["input_ids"]
        start = next(place for place in range(len(whole)) if whole[place : place + len(word)] == word)
        return Frame(tuple(whole[:start]), tuple(whole[start + len(word) :]))

    def room(self, continuation: int) -> int:
        """How many tokens may come before this many of a continuation; a window too short for both is halved."""
        loaded = self._load()
        return max(loaded.room(continuation), loaded.window // 2)

    def longest(self, continuation: int) -> int:
        """How many tokens of this many of a continuation fit beside that."""
        return min(continuation, max(self._load().window // 2, 1))

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, without those that the tokenizer puts around it."""
        if not texts:
            return []
        tokenizer = self._load().prompting.tokenizer
        return [tuple(ids) for ids in tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    def logprobs(self, before: Sequence[Tokens], after: Sequence[Tokens]) -> Floats:
        """Natural-log probability of each continuation after its beginning, shape (continuations,).

        Whatever continuations share of what comes before them is read once, wherever they stand in the call.
        """
        from dialeval.systems.huggingface.models import Pair

        if not after:
            return np.zeros(0)
        loaded = self._load()
        pairs = [Pair(first, then) for first, then in zip(before, after, strict=True)]
        return np.array(loaded.model.logprobs(pairs, loaded.pace), dtype=np.float64)

    @property
    def _files(self) -> ModelFiles:
        return find_model(self.model, None, hub=self.hub)

    def _load(self) -> Loaded:
        return load(Wanted(self._files, self.dtype, "auto", "plain", None, AT_ONCE))
