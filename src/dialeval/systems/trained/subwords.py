"""Subword vocabulary: byte-level pair encoding (Sennrich et al., 2016) learnt from the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from dialeval.data.types import Context
from dialeval.errors import BadInput
from dialeval.systems.huggingface.prompts import ModelPrompt

Tokens: TypeAlias = tuple[int, ...]

PAD: Final = 0
START: Final = 1
END: Final = 2
BREAK: Final = 3
SPECIAL: Final = ("<pad>", "<start>", "<end>", "<break>")


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """A vocabulary of subwords; texts that spell a special token are read as text."""

    tokenizer: Tokenizer

    def __post_init__(self) -> None:
        self.tokenizer.encode_special_tokens = True

    def __len__(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def context(self, context: Context, *, turns: int, longest: int) -> ModelPrompt:
        """The last ``turns`` turns with breaks between them and an end, in at most ``longest`` tokens.

        What does not fit is cut on the left: whole oldest turns first, then the beginning of the last one. System
        prompts are not turns.
        """
        said = [turn.text for turn in context if turn.speaker != "system"]
        read = [self._encode(text) for text in said[-turns:]]
        size = sum(map(len, read)) + max(len(read), 1)
        cut = size > longest
        while size > longest and len(read) > 1:
            size -= len(read.pop(0)) + 1
        tokens = [token for text in read for token in (*text, BREAK)][:-1]
        kept = tokens[max(len(tokens) + 1 - longest, 0) :]
        return ModelPrompt((*kept, END), len(said) - len(read), cut)

    def response(self, text: str) -> Tokens:
        """The tokens of a response, its end among them."""
        return (*self._encode(text), END)

    def text(self, tokens: Sequence[int]) -> str:
        """Return what the tokens of a response say."""
        said: str = self.tokenizer.decode([token for token in tokens if token >= len(SPECIAL)])
        return said.strip()

    def save(self) -> bytes:
        """The vocabulary as the tokenizers library writes it."""
        return str(self.tokenizer.to_str(pretty=True)).encode()

    def _encode(self, text: str) -> list[int]:
        # The library does not accept lone surrogates.
        clean = text.encode("utf-8", "replace").decode("utf-8")
        return list(self.tokenizer.encode(clean, add_special_tokens=False).ids)


def learn(texts: Iterable[str], size: int) -> Subwords:
    """The subwords of these texts, at most ``size`` with the special ones, yet never fewer than the 256 bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    clean = (text.encode("utf-8", "replace").decode("utf-8") for text in texts)
    tokenizer.train_from_iterator(clean, trainer)
    return Subwords(tokenizer)


def load_subwords(path: Path) -> Subwords:
    """The vocabulary in a file."""
    try:
        tokenizer = Tokenizer.from_file(str(path))
        if [tokenizer.token_to_id(token) for token in SPECIAL] != list(range(len(SPECIAL))):
            raise ValueError(f"it lacks {', '.join(SPECIAL)}")
    # The library raises bare exceptions.
    except Exception as error:
        raise BadInput(
            str(path),
            f"an invalid vocabulary ({error})",
            "the subwords of a generator",
            "Train the model again.",
        ) from error
    return Subwords(tokenizer)
