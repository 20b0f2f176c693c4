"""The Skip-Thought network (Kiros et al., 2015, section 2.1): GRUs that encode a sentence and decode its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from dialeval.core import Floats
from dialeval.data.codec.sources import check_archive
from dialeval.encoder.model import Vectors
from dialeval.errors import BadInput, Unsuitable, first_line
from dialeval.files.foreign import numpy_errors
from dialeval.metrics.embedding.sources import Source
from dialeval.metrics.embedding.vectors import WordVectors
from dialeval.metrics.skip_thought.folder import (
    DICTIONARY,
    END,
    PUBLISHED,
    UNKNOWN,
    TrainConfig,
    Triple,
    Vocabulary,
    count_words,
    digest,
    own_files,
    published_files,
    read_model,
    words_of,
    write_model,
)
from dialeval.resources.device import device_of
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import DEFAULT, Session, Shortfall, fit
from dialeval.training.task import Loss, Rows, Sum, Task, batches_by_length, unigram_nats


class Batch(NamedTuple):
    """Sentences as word numbers, each list as long as the batch; a missing neighbour is empty."""

    here: list[list[int]]
    before: list[list[int]]
    after: list[list[int]]


class SkipThought(nn.Module):
    """One encoder and its two decoders; all share the word vectors, and the decoders the output words."""

    def __init__(self, part: Literal["uni", "bi"], vocabulary: int, config: TrainConfig) -> None:
        super().__init__()
        ways = 2 if part == "bi" else 1
        size = config.sentence_size
        self.words = nn.Embedding(vocabulary, config.word_size)
        self.encoder = nn.GRU(config.word_size, size // ways, batch_first=True, bidirectional=ways == 2)
        # A GRU whose input is the word beside the sentence has just the terms C h_i of equations 5 to 7.
        self.before = nn.GRU(config.word_size + size, size, batch_first=True)
        self.after = nn.GRU(config.word_size + size, size, batch_first=True)
        self.output = nn.Linear(size, vocabulary)

    def initialise(self, seed: int) -> None:
        """Weights as the paper draws them: orthogonal if recurrent, else uniform in [-0.1, 0.1]; biases 0."""
        draw = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, weight in self.named_parameters():
                if weight.dim() == 1:
                    weight.zero_()
                elif "weight_hh" in name:
                    for gate in weight.chunk(3):
                        nn.init.orthogonal_(gate, generator=draw)
                else:
                    weight.uniform_(-0.1, 0.1, generator=draw)

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Negative log-probability of all neighbours' words, in nats, given the sentences, and the number of words."""
        device = device_of(self)
        here = [torch.tensor(ids, device=device) for ids in batch.here]
        sentences = run_encoder(self.encoder, [self.words(ids) for ids in here])
        states, targets = [], []
        for decoder, neighbours in ((self.before, batch.before), (self.after, batch.after)):
            some = [row for row, ids in enumerate(neighbours) if ids]
            if some:
                wanted = [torch.tensor([*neighbours[row], END], device=device) for row in some]
                states.append(self._decode(decoder, sentences[some], wanted))
                targets += wanted
        target = torch.cat(targets)
        nats = nn.functional.cross_entropy(self.output(torch.cat(states)), target, reduction="sum")
        return nats, len(target)

    def _decode(self, decoder: nn.GRU, sentences: Tensor, wanted: Sequence[Tensor]) -> Tensor:
        """The decoder's state before each wanted word, the texts one after the other."""
        lengths = [len(ids) for ids in wanted]
        words = self.words(pad_sequence(list(wanted), batch_first=True)[:, :-1])
        # Nothing stands before the first word.
        words = nn.functional.pad(words, (0, 0, 1, 0))
        beside = sentences.unsqueeze(1).expand(-1, words.shape[1], -1)
        states, _ = decoder(torch.cat([words, beside], dim=2))
        return torch.cat([steps[:length] for steps, length in zip(states, lengths, strict=True)])


def make_encoders(config: TrainConfig, vocabulary: int) -> dict[str, SkipThought]:
    """The encoders that the config asks for, their weights not yet drawn."""
    return {part: SkipThought(part, vocabulary, config) for part in config.parts}


def run_encoder(gru: nn.GRU, sentences: Sequence[Tensor]) -> Tensor:
    """Each sentence's last state, the backward reading's after the forward's; sentences are (words, size)."""
    lengths = torch.tensor([len(words) for words in sentences])
    packed = pack_padded_sequence(
        pad_sequence(list(sentences), batch_first=True), lengths, batch_first=True, enforce_sorted=False
    )
    _, last = gru(packed)
    return torch.cat(list(last), dim=1)


_TEXTS_AT_ONCE: Final = 64
UNKNOWN_WORD: Final = "UNK"
_PREFIXES: Final = {"uni": ("encoder",), "bi": ("encoder", "encoder_r")}
_FILES_TODO: Final = "Give the folder with the authors' files as they were published."


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One encoder: the vectors of its words, row by row, and its GRU, which may be bidirectional."""

    table: Vectors
    gru: nn.GRU
    expand: Callable[[Sequence[str]], tuple[Vectors, Sequence[bool]]] | None = None
    """Vectors of words that the table lacks, and which of them are known."""


@dataclass(frozen=True, slots=True, eq=False)
class SentenceEncoder:
    """One or two encoders that share their words."""

    parts: tuple[Part, ...]
    index: Mapping[str, int]
    """The row of each word."""
    unknown: int
    """The row for words that have none."""
    lowercase: bool

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector per text, none of them blank: the parts' vectors, each of length 1, one after the other."""
        split = words_of(texts, lowercase=self.lowercase)
        order = sorted(range(len(texts)), key=lambda index: len(split[index]))
        rows: dict[int, Vectors] = {}
        for start in range(0, len(order), _TEXTS_AT_ONCE):
            some = order[start : start + _TEXTS_AT_ONCE]
            joined = self._run([split[index] for index in some])
            rows.update(zip(some, joined, strict=True))
        return np.stack([rows[index] for index in range(len(texts))])

    def _run(self, sentences: Sequence[Sequence[str]]) -> Vectors:
        with torch.inference_mode():
            vectors = [functional.normalize(self._run_part(part, sentences)) for part in self.parts]
            return np.asarray(torch.cat(vectors, dim=1).cpu().numpy(), np.float32)

    def _run_part(self, part: Part, sentences: Sequence[Sequence[str]]) -> Tensor:
        device = device_of(part.gru)
        words = [torch.from_numpy(self._look_up(part, sentence)).to(device) for sentence in sentences]
        return run_encoder(part.gru, words)

    def _look_up(self, part: Part, words: Sequence[str]) -> Vectors:
        rows = [self.index.get(word, self.unknown) for word in words]
        vectors = np.array(part.table[rows], np.float32)
        if part.expand is not None:
            lacking = [index for index, word in enumerate(words) if word not in self.index]
            mapped, known = part.expand([words[index] for index in lacking])
            for index, vector, knows in zip(lacking, mapped, known, strict=True):
                if knows:
                    vectors[index] = vector
        return vectors


@lru_cache(maxsize=2)
def load_sentence_encoder(folder: Path, sha256: str, vectors: str | None, device: str) -> SentenceEncoder:
    """The encoder in the folder, with words from ``vectors`` if they are named; loaded once a process and device.

    ``sha256`` is that of the files: another hash is another encoder, though the folder be the same.
    """
    encoder = _load_own(folder) if own_files(folder) else load_published(folder)
    for part in encoder.parts:
        part.gru.to(device)
    if vectors is None:
        return encoder
    source = Source(vectors).load()
    words = list(encoder.index)
    rows = [encoder.index[word] for word in words]
    parts = (replace(part, expand=expand(source, words, part.table[rows])) for part in encoder.parts)
    return replace(encoder, parts=tuple(parts))


def _load_own(folder: Path) -> SentenceEncoder:
    encoders, vocabulary = read_model(folder)
    parts = [
        Part(
            np.asarray(encoder.words.weight.detach().numpy(), np.float32),
            encoder.encoder.eval().requires_grad_(False),
        )
        for encoder in encoders.values()
    ]
    return SentenceEncoder(tuple(parts), vocabulary.index, UNKNOWN, vocabulary.lowercase)


def fit_linear_map(source: Floats, target: Floats) -> Floats:
    """The matrix that takes the rows of ``source`` nearest to those of ``target``, by least squares without penalty."""
    return np.asarray(np.linalg.lstsq(source, target, rcond=None)[0], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Word vectors carried over into the space of a model's own."""

    vectors: WordVectors
    matrix: Floats

    def __call__(self, words: Sequence[str]) -> tuple[Vectors, list[bool]]:
        """A vector for each word, and which of the words are known."""
        vectors, known = self.vectors.of(words)
        return np.asarray(vectors @ self.matrix, np.float32), known.tolist()


def expand(vectors: WordVectors, words: Sequence[str], table: Vectors) -> Expansion:
    """The expansion learnt from the words that both have; ``table`` holds the model's vectors, row by row."""
    source, known = vectors.of(words)
    shared = int(known.sum())
    if shared < vectors.dimensions:
        raise Unsuitable(
            f"The model and the word vectors {vectors.name!r} share {shared} words; at least {vectors.dimensions} are "
            "needed to learn how one becomes the other. Give vectors of the language the model was trained on."
        )
    return Expansion(
        vectors, fit_linear_map(source[known].astype(np.float64), table[known].astype(np.float64))
    )


def load_published(folder: Path) -> SentenceEncoder:
    """The encoder in the folder: uni-skip, bi-skip or both, as it has them."""
    words = (folder / DICTIONARY).read_text(encoding="utf-8").split("\n")
    words = [word.strip() for word in (words[:-1] if words[-1] == "" else words)]
    index = {word: row for row, word in enumerate(words)}
    if UNKNOWN_WORD not in index:
        raise BadInput(
            str(folder / DICTIONARY), f"no word {UNKNOWN_WORD}", "a row for unknown words", _FILES_TODO
        )
    parts = []
    there = published_files(folder)
    for part, (table, weights) in PUBLISHED.items():
        if folder / weights in there:
            vectors = _table(folder / table, len(words))
            parts.append(Part(vectors, _gru(folder / weights, _PREFIXES[part], vectors.shape[1])))
    return SentenceEncoder(tuple(parts), index, index[UNKNOWN_WORD], lowercase=False)


def _table(path: Path, words: int) -> Vectors:
    # Mapped, not read: the published tables have 930,911 rows, of which a batch needs a few hundred.
    try:
        table: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    except numpy_errors() as error:
        raise BadInput(str(path), first_line(error), "an array of numbers", _FILES_TODO) from None
    if table.ndim != 2 or len(table) != words:
        expected = f"{words} rows, one for each word of {DICTIONARY}"
        raise BadInput(str(path), f"an array of shape {table.shape}", expected, _FILES_TODO)
    return table


def _gru(path: Path, prefixes: tuple[str, ...], inputs: int) -> nn.GRU:
    """Theano's GRU as PyTorch's: gates in the order reset, update, new; its one bias is PyTorch's first."""
    try:
        check_archive(path, str(path))
        with np.load(path, allow_pickle=False) as arrays:
            ways = [
                [arrays[f"{prefix}_{name}"] for name in ("W", "U", "b", "Wx", "Ux", "bx")]
                for prefix in prefixes
            ]
    except numpy_errors() as error:
        found = first_line(error).strip("'\"")
        raise BadInput(str(path), found, "the arrays of a GRU encoder", _FILES_TODO) from None
    size = ways[0][4].shape[0]
    gru = nn.GRU(inputs, size, batch_first=True, bidirectional=len(prefixes) == 2)
    for (gates, recurrent, bias, new, recurrent_new, bias_new), suffix in zip(
        ways, ("", "_reverse"), strict=False
    ):
        shapes = [array.shape for array in (gates, recurrent, bias, new, recurrent_new, bias_new)]
        expected = [(inputs, 2 * size), (size, 2 * size), (2 * size,), (inputs, size), (size, size), (size,)]
        if shapes != expected:
            raise BadInput(str(path), f"arrays of shapes {shapes}", f"shapes {expected}", _FILES_TODO)
        with torch.no_grad():
            _fill(gru, f"weight_ih_l0{suffix}", np.concatenate([gates, new], axis=1).T)
            _fill(gru, f"weight_hh_l0{suffix}", np.concatenate([recurrent, recurrent_new], axis=1).T)
            _fill(gru, f"bias_ih_l0{suffix}", np.concatenate([bias, bias_new]))
            _fill(gru, f"bias_hh_l0{suffix}", np.zeros(3 * size))
    return gru.eval()


def _fill(gru: nn.GRU, name: str, values: NDArray[np.floating]) -> None:
    gru.get_parameter(name).copy_(torch.from_numpy(np.ascontiguousarray(values, np.float32)))


_POOL: Final = 32
"""Batches whose sentences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """The outcome of training."""

    folder: Path
    losses: tuple[float, ...]
    """Nats per word of each epoch, the mean of its batches as they were met."""
    triples: int
    vocabulary: int
    shortfall: Shortfall | None
    """Return how the model shows that it has learnt nothing; None if it has learnt something."""


def train(
    data: Sequence[Triple], config: TrainConfig, folder: Path, *, session: Session = DEFAULT
) -> TrainingOutcome:
    """Learn from ``data`` and write the model to ``folder``; a run that was killed resumes from its checkpoint.

    On one machine and number of threads the weights depend on data and config alone, also after a kill.
    """
    vocabulary = count_words(
        (triple.here for triple in data), size=config.vocabulary, lowercase=config.lowercase
    )
    encoders = make_encoders(config, len(vocabulary))
    for encoder in encoders.values():
        encoder.initialise(config.seed)
    settings = {key: value for key, value in asdict(config).items() if key not in config.schedule.resumable}
    if config.precision == "float32":
        del settings["precision"]  # which older runs do not know
    checkpoints = Checkpoints(folder, {"data": digest(data), **settings})
    fitted = fit(_task(data, config, vocabulary, encoders), config.schedule, checkpoints, session)
    losses = tuple(evaluation.train["nats"] for evaluation in fitted.history)
    write_model(folder, encoders, vocabulary, config, losses, digest(data), len(data))
    return TrainingOutcome(folder, losses, len(data), len(vocabulary), fitted.shortfall)


def _task(
    data: Sequence[Triple], config: TrainConfig, vocabulary: Vocabulary, encoders: dict[str, SkipThought]
) -> Task:
    """The uni and the bi encoder side by side; as in the paper each has its own loss and its own clipping."""
    here, before, after = (
        vocabulary.number([getattr(triple, side) for triple in data], longest=config.longest)
        for side in ("here", "before", "after")
    )
    lengths, size = [len(words) for words in here], config.batch_size
    batches = batches_by_length(lengths, size, pool=size * _POOL, seed=config.seed)

    def losses(rows: Rows) -> Iterator[Loss]:
        batch = Batch(*([texts[row] for row in rows] for texts in (here, before, after)))
        for encoder in encoders.values():
            nats, words = encoder.loss(batch)
            # As in the paper a sentence's loss is the sum over its neighbours' words; a batch's is their mean.
            yield Loss(nats / len(rows), {"nats": Sum(float(nats.detach()), words)})

    targets = [word for texts in (before, after) for words in texts if words for word in (*words, END)]
    return Task(
        nn.ModuleDict(encoders),
        batches,
        losses,
        objective=lambda numbers: numbers["nats"],
        baseline={"nats": unigram_nats(targets, targets, len(vocabulary))},
        clipped=tuple(encoders.values()),
    )
