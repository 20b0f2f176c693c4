"""Hugging Face encoders, loaded once a process and run so that other texts in a batch do not change a text's vectors.

Importing this module brings neither onnxruntime nor torch; ``load_encoder`` brings the one it needs. Weights come from
safetensors alone, and no code that lies beside them is run. Texts in several segments, such as a question and its
answer or the turns of a dialogue, become token ids by ``segment_ids``; whole sentences become vectors by
``sentence_vectors``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.encoder.files import EMBEDDED, Vectors as Vectors, Weights, find_encoder, runs_on_onnx
from dialeval.errors import ResourceUnavailable, first_line
from dialeval.resources.device import autocast, device_of, scoring_device, scoring_precision
from dialeval.resources.huggingface import quiet_transformers
from dialeval.text.search import Hit

if TYPE_CHECKING:
    import torch

_TEXTS_AT_ONCE: Final = 64
_TOKENS_AT_ONCE: Final = 8192
# Byte pairs tell a word after a space from one at the start; bert-score puts a space before every text.
_SPACE_FIRST: Final = ("roberta", "gpt2")


class Tokenizer(Protocol):
    """Texts to token ids."""

    @property
    def model_max_length(self) -> int:
        """Tokens that its makers say a model takes; very large if they do not say."""

    @property
    def pad_token_id(self) -> int | None:
        """Token that fills up the shorter texts of a batch."""

    @property
    def cls_token_id(self) -> int | None:
        """The token before every text."""

    @property
    def sep_token_id(self) -> int | None:
        """The token after every text."""

    def ids(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids of each text, special ones included, cut to ``longest``."""

    def offsets(self, texts: Sequence[str], longest: int) -> list[list[tuple[int, int]]]:
        """Begin and end of each token in its text; empty for special ones."""


class Model(Protocol):
    """Padded token ids to their vectors in context."""

    def states(self, ids: Integers, mask: Integers, layer: int | None) -> Vectors:
        """The output of ``layer``, or of the last, shape (texts, tokens, size)."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """A tokenizer and a model that turn texts into vectors."""

    tokenizer: Tokenizer
    model: Model
    longest: int
    """Tokens the model can take, special ones included; longer texts are cut."""

    def tokens(self, texts: Sequence[str], *, longest: int | None = None) -> list[list[int]]:
        """The ids of each text's tokens, special ones included."""
        if not texts:
            return []
        return self.tokenizer.ids(texts, min(self.longest, longest or self.longest))

    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Begin and end of each token in its text, beside `tokens`."""
        return self.tokenizer.offsets(texts, self.longest) if texts else []

    def states(
        self,
        tokens: Sequence[Sequence[int]],
        *,
        layer: int | None = None,
        keep: Callable[[Vectors], Vectors] = np.copy,
        at_once: int = _TEXTS_AT_ONCE,
    ) -> list[Vectors]:
        """Return what ``keep`` makes of each text's vectors, one per token: the output of ``layer``, or of the last.

        Texts of like length run together, at most ``at_once``. Padding is masked, so a text's vectors are the same in
        any company but for rounding, about 1e-6. What is kept should be a copy, or a short text keeps its whole batch
        alive.
        """
        kept: dict[int, Vectors] = {}
        for positions in _batches([len(ids) for ids in tokens], at_once):
            states = self._run([tokens[index] for index in positions], layer)
            for index, vectors in zip(positions, states, strict=True):
                kept[index] = keep(vectors[: len(tokens[index])])
        return [kept[index] for index in range(len(tokens))]

    def _run(self, batch: Sequence[Sequence[int]], layer: int | None) -> Vectors:
        shape = (len(batch), max(map(len, batch)))
        ids, mask = np.full(shape, self.tokenizer.pad_token_id or 0), np.zeros(shape, np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        return self.model.states(ids, mask, layer)


class Change(NamedTuple):
    """Change of one weight of a model."""

    tensor: Vectors
    whole: bool
    """Whether the tensor replaces the weight, or is added to it."""

    def of(self, weight: Vectors) -> Vectors:
        """The changed weight."""
        return self.tensor if self.whole else weight + self.tensor


Changes: TypeAlias = Mapping[str, Change]
"""By the name of the weight, as the model's safetensors spell it."""
UNCHANGED: Final[Changes] = MappingProxyType({})


def load_encoder(weights: Weights) -> Encoder:
    """The encoder of these weights, in 32-bit floats, on the CPU or the device of scorers; loaded once a process.

    BERT, MPNet and DeBERTa models run on onnxruntime if it is installed, all others on torch. Vectors
    of the two agree to about 1e-6, so results do not depend on which of them ran.
    """
    return _loaded(weights, scoring_device(), scoring_precision())


@lru_cache(maxsize=2)
def _loaded(weights: Weights, _device: str, _precision: str) -> Encoder:
    return encoder_of(weights)


def encoder_of(weights: Weights, *, changes: Changes = UNCHANGED) -> Encoder:
    """Load the encoder of these weights, some of them changed."""
    try:
        tokenizer, model = _parts(weights, changes)
    # Whatever the libraries raise about files that are not a model, which changes with their versions.
    except Exception as error:
        reason = first_line(error)
        raise ResourceUnavailable(
            f"No encoder could be loaded from {weights.folder}: {reason}. Check that the folder "
            "holds config.json, a tokenizer and the safetensors of one model."
        ) from error
    return Encoder(tokenizer, model, _longest(tokenizer, weights))


def _parts(weights: Weights, changes: Changes) -> tuple[Tokenizer, Model]:
    if runs_on_onnx(weights):
        from dialeval.encoder.onnx_model import load_onnx, load_tokenizer

        return load_tokenizer(weights), load_onnx(weights, changes)

    return load_torch(weights, changes)


def _longest(tokenizer: Tokenizer, weights: Weights) -> int:
    positions = weights.setting("config.json", "max_position_embeddings", "n_positions")
    most = positions if isinstance(positions, int) else 512
    # RoBERTa's first position is its padding's id plus one. A tokenizer that knows its limit has allowed for that.
    return tokenizer.model_max_length if tokenizer.model_max_length <= most else most - 2


def _batches(lengths: Sequence[int], at_once: int) -> Iterator[list[int]]:
    """Positions of texts of like length, at most this many texts and padded tokens at once."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == at_once or (len(batch) + 1) * lengths[index] > _TOKENS_AT_ONCE):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@dataclass(frozen=True, slots=True, eq=False)
class TorchModel:
    """A model of transformers in evaluation mode."""

    model: torch.nn.Module

    def states(self, ids: Integers, mask: Integers, layer: int | None) -> Vectors:
        """The output of ``layer``, or of the last, for padded ids, shape (texts, tokens, size)."""
        import torch

        device = device_of(self.model)
        inputs = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        inputs = {name: tensor.to(device) for name, tensor in inputs.items()}
        with torch.inference_mode(), autocast(device, scoring_precision()):
            out = self.model(**inputs, output_hidden_states=layer is not None)
            states = out.last_hidden_state if layer is None else out.hidden_states[layer]
        return cast(Vectors, states.float().cpu().numpy())


class TransformersTokenizer:
    """A tokenizer of transformers."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.model_max_length: int = tokenizer.model_max_length
        self.pad_token_id: int | None = tokenizer.pad_token_id
        self.cls_token_id: int | None = tokenizer.cls_token_id
        self.sep_token_id: int | None = tokenizer.sep_token_id

    def ids(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids of each text, special ones included, cut to ``longest``."""
        return cast(list[list[int]], self._cut(texts, longest)["input_ids"])

    def offsets(self, texts: Sequence[str], longest: int) -> list[list[tuple[int, int]]]:
        """Begin and end of each token in its text; empty for special ones."""
        cut = self._cut(texts, longest, return_offsets_mapping=True)
        return cast(list[list[tuple[int, int]]], cut["offset_mapping"])

    def _cut(self, texts: Sequence[str], longest: int, **wanted: bool) -> Any:
        return self._tokenizer(
            list(texts), truncation=True, max_length=longest, return_attention_mask=False, **wanted
        )


def load_torch(weights: Weights, changes: Changes = UNCHANGED) -> tuple[TransformersTokenizer, TorchModel]:
    """The tokenizer and the model in 32-bit floats, on the CPU or the device of scorers."""
    import torch

    spaced = (
        {"add_prefix_space": True} if weights.setting("config.json", "model_type") in _SPACE_FIRST else {}
    )
    local = {"local_files_only": True, "trust_remote_code": False}
    with quiet_transformers() as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(weights.folder, **local, **spaced)
        model = transformers.AutoModel.from_pretrained(
            weights.folder, **local, use_safetensors=True, dtype=torch.float32
        )
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    with torch.no_grad():
        for name, change in changes.items():
            weight = model.get_parameter(name)
            weight.copy_(torch.from_numpy(change.of(weight.numpy())))
    return TransformersTokenizer(tokenizer), TorchModel(model.eval().to(scoring_device()))


Fit: TypeAlias = Literal["last", "longest"]
"""Way to cut segments that exceed the window: ``last`` keeps the last segments, ``longest`` trims the longest."""


def segment_ids(
    encoder: Encoder, texts: Sequence[Sequence[str]], *, longest: int, fit: Fit
) -> list[list[int]]:
    """The ids of each text: its segments, each followed by the separator, after the token that begins a text.

    At most ``longest`` tokens, special ones included. With ``last`` whole oldest segments are dropped, and the
    beginning of a last one that is too long by itself is kept; with ``longest`` tokens are taken from the end of the
    segment that is longest, so that of a pair neither side vanishes.
    """
    window = min(longest, encoder.longest)
    known = dict.fromkeys(segment for segments in texts for segment in segments)
    # The separator is a text of its own to some tokenizers, so special tokens are cut off and put back.
    bare = {text: ids[1:-1] for text, ids in zip(known, encoder.tokens(list(known)), strict=True)}
    first, end = special_ids(encoder)
    choose = _keep_last if fit == "last" else _trim_longest
    rows = []
    for segments in texts:
        kept = choose([bare[segment] for segment in segments], window - 1)
        rows.append([first, *(token for ids in kept for token in (*ids, end))])
    return rows


def special_ids(encoder: Encoder) -> tuple[int, int]:
    """The token that begins a text, and the one that ends a segment."""
    empty = encoder.tokens([""])[0]
    return empty[0], empty[-1]


def _keep_last(segments: Sequence[list[int]], room: int) -> list[list[int]]:
    kept: list[list[int]] = []
    for ids in reversed(segments):
        if kept and len(ids) + 1 > room:
            break
        kept.append(ids[: room - 1])
        room -= len(kept[-1]) + 1
    return kept[::-1]


def _trim_longest(segments: Sequence[list[int]], room: int) -> list[list[int]]:
    lengths = [len(ids) for ids in segments]
    while sum(lengths) + len(lengths) > room and max(lengths, default=0) > 0:
        excess = sum(lengths) + len(lengths) - room
        place = lengths.index(max(lengths))
        others = [length for other, length in enumerate(lengths) if other != place]
        lengths[place] -= max(1, min(excess, lengths[place] - max(others, default=0)))
    return [ids[:length] for ids, length in zip(segments, lengths, strict=True)]


def sentence_vectors(texts: Sequence[str], weights: Weights) -> Vectors:
    """One vector per text, pooled as the encoder's settings say, shape (n, size); not of length 1."""
    encoder = load_encoder(weights)
    tokens = encoder.tokens(texts, longest=weights.sentence_length)
    return np.stack(encoder.states(tokens, keep=_mean if weights.pooling == "mean" else _first))


def to_units(vectors: Vectors, *, undefined: float = 0.0) -> Floats:
    """The vectors at length 1, so that dot products are cosines; ``undefined`` throughout if the length is 0."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    units: Floats = np.divide(wide, lengths, out=np.full_like(wide, undefined), where=lengths > 0)
    return units


def unit_vectors(texts: Iterable[str], model: str) -> dict[str, Floats]:
    """The unit vector of each text by that encoder; NaN for a blank text, whose cosines are undefined."""
    wanted = set(texts)
    known = sorted(text for text in wanted if text.strip())
    if not known:
        return dict.fromkeys(wanted, np.full(1, np.nan))
    units = to_units(sentence_vectors(known, find_encoder(model)), undefined=np.nan)
    blank = np.full(units.shape[1], np.nan)
    return {**dict.fromkeys(wanted, blank), **dict(zip(known, units, strict=True))}


@dataclass(frozen=True, slots=True, eq=False)
class SentenceIndex:
    """Unit vectors of sentences by the embedded encoder, one row each: 1.5 KB a sentence, all compared with a query."""

    units: Floats

    def nearest(self, text: str) -> Iterator[Hit]:
        """Every sentence, that of the highest cosine first; ties go to the earlier one."""
        cosines = self.units @ _embedded_units([text])[0]
        for place in np.argsort(-cosines, kind="stable"):
            yield Hit(int(place), float(cosines[place]))


def index_sentences(texts: Sequence[str]) -> SentenceIndex:
    """The index of these sentences; a text that occurs more than once is encoded once."""
    rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    return SentenceIndex(_embedded_units(list(rows))[[rows[text] for text in texts]])


def _embedded_units(texts: Sequence[str]) -> Floats:
    return to_units(sentence_vectors(texts, find_encoder(EMBEDDED)))


def _mean(states: Vectors) -> Vectors:
    mean: Vectors = states.mean(axis=0)
    return mean


def _first(states: Vectors) -> Vectors:
    first: Vectors = states[0]
    return first.copy()
