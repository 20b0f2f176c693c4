"""METEOR 1.5 for English (Denkowski and Lavie, 2014) as its jar computes it, without Java."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import mmap
import zipfile
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.errors import ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.files.folders import one_at_a_time
from dialeval.metrics.meteor.lexicon import Lexicon, Table, lines_of, numbers_of
from dialeval.metrics.meteor.words import Describer
from dialeval.metrics.rows import NeedsReferences, require_references
from dialeval.resources import CATALOGUE, locate, obtain
from dialeval.resources.kept import kept_folder

ALPHA: Final = 0.85
BETA: Final = 0.2
GAMMA: Final = 0.6
DELTA: Final = 0.75
WEIGHTS: Final = (1.0, 0.6, 0.8, 0.6)
"""Of matches that are exact, by stem, by synonym, by paraphrase."""

EXAMPLES_AT_ONCE: Final = 4096
"""Facts of the aligner about texts take some 100 bytes a word."""
_CHUNKS: Final = 20
_COUNT: Final = 23


@dataclass(frozen=True, slots=True)
class Meteor(NeedsReferences):
    """Words aligned with a reference exactly or by stem, synonym or paraphrase, in [0, 1].

    A weighted harmonic mean of precision and recall in which function words count a third of content words, lowered
    if the matches lie in many chunks. Of several references the one of the highest score counts, the first of
    equals. The corpus score pools the counts of those, so it is not the mean of the examples' scores. Texts without
    a common word score 0, empty ones too, even against an empty reference.
    """

    name: ClassVar[str] = "meteor"
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        # Found now, verified on first use: who lacks the tables should hear of it before a long run begins.
        locate(RESOURCE)

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The profile, how texts are cut, and the hash of the tables."""
        tables = f"{RESOURCE.name}:{(RESOURCE.sha256 or '')[:12]}"
        texts = (("language", "en"), ("tokens", "norm"), ("case", "lower"))
        return (("profile", "1.5"), *texts, ("tables", tables))

    @property
    def resources(self) -> Mapping[str, str]:
        """METEOR's jar and paraphrases."""
        return {RESOURCE.name: RESOURCE.sha256 or ""}

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the jar's 23 numbers for the best reference (see ``aggregate``), and 1 for the example."""
        require_references("meteor", examples)
        counts = np.array([len(example.references) for example in examples], np.int64)
        pairs = np.zeros((int(counts.sum()), _COUNT))
        first = 0
        for start in range(0, len(examples), EXAMPLES_AT_ONCE):
            block = slice(start, start + EXAMPLES_AT_ONCE)
            last = first + int(counts[block].sum())
            _fill_pair_rows(examples[block], counts[block], pairs[first:last])
            first = last
        # One chunk of all words is not a fragment: the jar exempts it from the penalty, and from the corpus's chunks.
        whole = (pairs[:, 0] == pairs[:, 21]) & (pairs[:, 1] == pairs[:, 22]) & (pairs[:, _CHUNKS] == 1)
        pairs[whole, _CHUNKS] = 0
        rows = np.ones((len(examples), _COUNT + 1))
        rows[:, :_COUNT] = pairs[_first_best(_score(pairs), counts)]
        return rows

    def aggregate(self, totals: Floats) -> Floats:
        """METEOR of summed rows: parameterised F-mean times one minus the fragmentation penalty; NaN of no example."""
        return np.where(totals[..., _COUNT] > 0, _score(totals), np.nan)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon of METEOR's tables, with the words that were met since."""
    return Lexicon(load_tables())


def _fill_pair_rows(examples: Sequence[Example], counts: NDArray[np.int64], rows: Floats) -> None:
    """Put the jar's statistics of every example with each of its references into zeros, shape (references, 23)."""
    from dialeval.metrics.meteor._alignment_kernels import align, scratch

    texts = chain.from_iterable((example.response.text, *example.references) for example in examples)
    encoded = lexicon().encode(list(texts))
    first = np.cumsum(counts + 1) - counts - 1
    pairs = np.empty((int(counts.sum()), 2), np.int32)
    pairs[:, 0] = np.repeat(first, counts)
    pairs[:, 1] = np.setdiff1d(np.arange(len(encoded.ends) - 1), first, assume_unique=True)
    tables = load_tables()
    trie = tuple(
        numbers_of(tables[name]) for name in ("node_words", "first_child", "first_target", "targets")
    )
    facts = tuple(encoded.facts)
    align(encoded.words, encoded.ends, pairs, facts, trie, scratch(), rows)


def _first_best(scores: Floats, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of the first of the highest scores of each group, given the sizes of the groups."""
    starts = np.cumsum(counts) - counts
    if not len(counts):
        return starts
    best = np.repeat(np.maximum.reduceat(scores, starts), counts)
    winners = np.flatnonzero(scores == best)
    return winners[np.searchsorted(winners, starts)]


def _score(rows: Floats) -> Floats:
    """The jar's formula, in its order of operations; 0 if nothing matched."""
    content = np.zeros((*rows.shape[:-1], 2))
    function = np.zeros_like(content)
    for module, weight in enumerate(WEIGHTS):
        index = 4 + 4 * module
        content += rows[..., index : index + 2] * weight * DELTA
        function += rows[..., index + 2 : index + 4] * weight * (1 - DELTA)
    lengths = DELTA * (rows[..., 0:2] - rows[..., 2:4]) + (1 - DELTA) * rows[..., 2:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (content + function) / lengths
        mean = 1 / ((1 - ALPHA) / shares[..., 0] + ALPHA / shares[..., 1])
        fragmentation = rows[..., _CHUNKS] / ((rows[..., 21] + rows[..., 22]) / 2)
        score = mean * (1 - GAMMA * fragmentation**BETA)
    return np.where(np.isnan(score), 0.0, np.maximum(score, 0.0))


_BLOCK: Final = 1 << 24
_END: Final = b"\n"
RESOURCE: Final = CATALOGUE["meteor-1.5"]
_FORMAT: Final = 2
"""Rises with anything that changes the tables: their layout, stemming, synonyms, words' facts."""
_ALIGNMENT: Final = 64


def compile_tables(folder: Path) -> dict[str, Table]:
    """Everything METEOR looks words up in, by name; texts are UTF-8 bytes, one entry a line.

    ``folder`` holds ``meteor-1.5.jar`` and ``data/paraphrase-en.gz``. What the aligner must know of the words in
    the paraphrases is worked out here, so that only rarer words wait for their turn.
    """
    with zipfile.ZipFile(folder / "meteor-1.5.jar") as jar:
        lists = {
            "function_words": jar.read("function/english.words"),
            "wordnet": _renumber(jar.read("synonym/english.synsets")),
            "exceptions": jar.read("synonym/english.exceptions"),
        }
        prefixes = jar.read("nonbreaking/english.prefixes")
    paraphrases = _paraphrases(folder / "data" / "paraphrase-en.gz")
    words = lines_of(paraphrases["words"])
    facts = Describer(*(lines_of(_text(content)) for content in lists.values())).describe(words)
    texts = {name: _text(content) for name, content in {**lists, "prefixes": prefixes}.items()}
    return {**texts, **facts._asdict(), **paraphrases}


def _text(content: bytes) -> Table:
    return np.frombuffer(content, np.uint8)


def _renumber(content: bytes) -> bytes:
    """WordNet's synsets numbered from 0, so that the aligner can index by them; a word's line stays as it is."""
    lines = content.decode("utf-8").removesuffix("\n").split("\n")
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    lines[1::2] = [" ".join(str(numbers[each]) for each in line.split()) for line in lines[1::2]]
    return "\n".join(lines).encode()


def _paraphrases(path: Path) -> dict[str, Table]:
    """The paraphrases as a trie of phrases and, for each phrase, the phrases that may stand in its place.

    Nodes are numbered level by level, the children of one node side by side in order of their word, so two numbers
    describe a node: its word and its first child. Nodes 0 to ``len(words) - 1`` are the single words.
    """
    words, phrases = _read_phrases(path)
    nodes, node_words, first_child = _grow_trie(phrases, len(words))
    source_nodes, target_nodes = np.split(nodes, 2)
    # A stable order keeps the paraphrases of a phrase as the file lists them: the aligner breaks ties by that.
    by_source = np.argsort(source_nodes, kind="stable")
    first_target = np.zeros(len(node_words) + 1, np.int32)
    np.cumsum(np.bincount(source_nodes, minlength=len(node_words)), out=first_target[1:])
    return {
        "words": _text(_END.join(words)),
        "node_words": node_words,
        "first_child": first_child,
        "first_target": first_target,
        "targets": target_nodes[by_source],
    }


def _read_phrases(path: Path) -> tuple[list[bytes], NDArray[np.int32]]:
    """All words; and rows of word numbers, filled up with -1, of all phrases and then of all their paraphrases."""
    numbers: defaultdict[bytes, int] = defaultdict(count(1).__next__)
    numbers[_END] = 0
    tokens = [array("i"), array("i")]
    for lines in _entries(path):
        # An entry has three lines: probability, phrase, paraphrase.
        for side, flat in enumerate(tokens, start=1):
            flat.extend(map(numbers.__getitem__, b" \n ".join([*lines[side::3], b""]).split(b" ")[:-1]))
    return list(numbers)[1:], _rows(np.frombuffer(tokens[0] + tokens[1], np.int32))


def _entries(path: Path) -> Iterator[list[bytes]]:
    """Blocks of whole entries, as lines."""
    with gzip.open(path) as file:
        rest: list[bytes] = []
        while block := file.read(_BLOCK):
            lines = block.split(_END)
            if rest:
                lines[0] = rest.pop() + lines[0]
            lines = rest + lines
            whole = (len(lines) - 1) // 3 * 3
            yield lines[:whole]
            rest = lines[whole:]
        yield rest[: len(rest) // 3 * 3]


def _rows(flat: NDArray[np.int32]) -> NDArray[np.int32]:
    """One row per phrase from numbers that count from 1, each phrase ended by a 0."""
    ends = np.flatnonzero(flat == 0)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts
    rows = np.full((len(ends), int(lengths.max())), -1, np.int32)
    for index in range(rows.shape[1]):
        longer = lengths > index
        rows[longer, index] = flat[starts[longer] + index] - 1
    return rows


def _grow_trie(
    phrases: NDArray[np.int32], words: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The node of each phrase, the word of each node, and the first child of each node (and of the one after)."""
    nodes = phrases[:, 0].copy()
    node_words: list[NDArray[np.integer]] = [np.arange(words)]
    first_child: list[NDArray[np.integer]] = []
    level, size, total = 0, words, words
    for index in range(1, phrases.shape[1]):
        longer = phrases[:, index] >= 0
        keys = (nodes[longer].astype(np.int64) - level) * words + phrases[longer, index]
        unique, positions = np.unique(keys, return_inverse=True)
        first_child.append(total + np.searchsorted(unique, np.arange(size) * words))
        nodes[longer] = total + positions
        node_words.append(unique % words)
        level, size, total = total, len(unique), total + len(unique)
    first_child.append(np.full(size + 1, total))
    return nodes, _join(node_words), _join(first_child)


def _join(parts: Sequence[NDArray[np.integer]]) -> NDArray[np.int32]:
    return np.concatenate(parts).astype(np.int32)


@lru_cache(maxsize=1)
def load_tables() -> Mapping[str, Table]:
    """The tables by name, read-only; compiled first if the user's cache does not hold them yet."""
    folder = obtain(RESOURCE)
    path = kept_folder("meteor") / f"meteor-{(RESOURCE.sha256 or '')[:16]}-{_FORMAT}.tables"
    try:
        with one_at_a_time(path):
            tables = read_tables(path) or _compiled(path, folder)
    except OSError as error:
        raise ResourceUnavailable(
            f"METEOR's tables could not be kept at {path} ({error}). Make that folder writable and see that the disk "
            "has 100 MB free."
        ) from None
    return tables


def _compiled(path: Path, folder: Path) -> dict[str, Table]:
    logging.getLogger(__name__).warning(
        "Compiling METEOR's tables into %s, then its aligner. This happens once and takes about half a minute.",
        path,
    )
    write_tables(path, compile_tables(folder))
    tables = read_tables(path)
    if tables is None:
        raise OSError("what was written cannot be read back")
    return tables


def write_tables(path: Path, tables: Mapping[str, Table]) -> None:
    """Put the tables at ``path`` in one step: a line that describes them, then their bytes."""
    parts, entries, index = [], [], 0
    for name, table in tables.items():
        content = table.tobytes()
        padding = -len(content) % _ALIGNMENT
        parts.append(content + bytes(padding))
        entries.append({"name": name, "type": table.dtype.str, "length": len(table), "at": index})
        index += len(parts[-1])
    content = b"".join(parts)
    header = {"format": _FORMAT, "sha256": hashlib.sha256(content).hexdigest(), "tables": entries}
    line = json.dumps(header).encode()
    line += b" " * (-(len(line) + 1) % _ALIGNMENT) + b"\n"
    write_atomically(path, line + content)


def read_tables(path: Path) -> dict[str, Table] | None:
    """The tables kept at ``path``, or None if there are none or a byte of them is not as it was written."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        line = file.readline()
        try:
            header = json.loads(line)
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            intact = hashlib.sha256(memoryview(memory)[len(line) :]).hexdigest() == header["sha256"]
        except (ValueError, KeyError, TypeError):
            return None
    if not intact:
        return None
    return {
        entry["name"]: np.frombuffer(memory, entry["type"], entry["length"], len(line) + entry["at"])
        for entry in header["tables"]
    }
