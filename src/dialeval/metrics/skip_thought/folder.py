"""A Skip-Thought model without its network: settings, training data, vocabulary, and the files of a folder."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, cast

from dialeval.data.types import Dialogue, Prompt
from dialeval.errors import DialevalError, Unsuitable
from dialeval.files.foreign import as_bad_input
from dialeval.resources.device import Precision
from dialeval.text.tokenisers.treebank import word_tokenize_all
from dialeval.training.folder import FORMAT, Card, Layout
from dialeval.training.schedule import Schedule, require_at_least_one
from dialeval.version import __version__

if TYPE_CHECKING:
    from dialeval.metrics.skip_thought.model import SkipThought


Kind: TypeAlias = Literal["uni", "bi", "combine"]
"""Encoders: one that reads forwards, one that reads in both directions, or both side by side."""
Scale: TypeAlias = Literal["tiny", "small", "paper"]


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything that moves the weights, beside the data."""

    kind: Kind = "combine"
    vocabulary: int = 20000
    """Words that have a vector, the most frequent ones; the rest share one."""
    word_size: int = 620
    sentence_size: int = 2400
    """Of each encoder's vector; a bidirectional one has half of it in each direction."""
    longest: int = 30
    """Words of a sentence; the rest is cut."""
    lowercase: bool = True
    batch_size: int = 128
    epochs: int = 5
    learning_rate: float = 1e-3
    clip: float = 10.0
    """Most length that the gradient of an encoder and its decoders may have."""
    save_every: int = 200
    """Batches between checkpoints; moves no weight."""
    seed: int = 0
    precision: Precision = "float32"
    """Of products while training."""

    def __post_init__(self) -> None:
        if self.sentence_size % 2:
            raise DialevalError(
                f"The sentence size is {self.sentence_size}; expected an even number, half for each direction."
            )
        sizes = ("vocabulary", "word_size", "sentence_size", "longest", "batch_size", "epochs", "save_every")
        require_at_least_one(self, *sizes)

    @property
    def schedule(self) -> Schedule:
        """The settings of the training loop among these."""
        return Schedule(
            epochs=self.epochs,
            learning_rate=self.learning_rate,
            clip=self.clip,
            save_every=self.save_every,
            seed=self.seed,
            precision=self.precision,
        )

    @property
    def parts(self) -> tuple[Literal["uni", "bi"], ...]:
        """The encoders, in the order in which their vectors are joined."""
        return ("uni", "bi") if self.kind == "combine" else (self.kind,)


SCALES: Final[Mapping[Scale, TrainConfig]] = MappingProxyType(
    {
        "tiny": TrainConfig(vocabulary=2000, word_size=32, sentence_size=64, batch_size=64),
        "small": TrainConfig(vocabulary=5000, word_size=128, sentence_size=256, batch_size=64),
        # Kiros et al. (2015), section 3: vocabulary, word and sentence sizes, batches of 128, Adam, clipping at 10.
        "paper": TrainConfig(),
    }
)


END: Final = 0
UNKNOWN: Final = 1
_SPECIAL: Final = ("<end>", "<unknown>")


class Triple(NamedTuple):
    """A sentence and its neighbours; an empty text for a missing one."""

    before: str
    here: str
    after: str


def triples(records: Iterable[Dialogue | Prompt]) -> list[Triple]:
    """Every turn with the turns beside it, each triple once, in the order in which they are first met.

    Each reference of a prompt is one continuation of its context.
    """
    unique: dict[Triple, None] = {}
    for record in records:
        for turns in _passages(record):
            said = [text for turn in turns if (text := " ".join(turn.split()))]
            for index, here in enumerate(said):
                triple = Triple(
                    said[index - 1] if index else "", here, said[index + 1] if index + 1 < len(said) else ""
                )
                if triple.before or triple.after:
                    unique[triple] = None
    if not unique:
        raise Unsuitable(
            "The corpus has no two turns in a row, so there is nothing to learn from. "
            "Give dialogues of two turns or more."
        )
    return list(unique)


def digest(data: Sequence[Triple]) -> str:
    """The sha256 of the triples in order."""
    made = hashlib.sha256()
    for triple in data:
        made.update("\t".join(triple).encode("utf-8", "surrogatepass") + b"\n")
    return made.hexdigest()


def _passages(record: Dialogue | Prompt) -> list[list[str]]:
    if isinstance(record, Dialogue):
        return [[turn.text for turn in record.turns]]
    context = [turn.text for turn in record.context]
    return [[*context, reference] for reference in record.references] or [context]


def words_of(texts: Sequence[str], *, lowercase: bool) -> list[list[str]]:
    """The Treebank words of each text."""
    return word_tokenize_all([text.lower() for text in texts] if lowercase else texts)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by number; number 0 ends a sentence, 1 stands for every word that has no number."""

    words: tuple[str, ...]
    lowercase: bool
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {word: number for number, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    def number(self, texts: Sequence[str], *, longest: int) -> list[list[int]]:
        """The numbers of each text's first ``longest`` words."""
        split = words_of(texts, lowercase=self.lowercase)
        return [[self.index.get(word, UNKNOWN) for word in words[:longest]] for words in split]


def count_words(texts: Iterable[str], *, size: int, lowercase: bool) -> Vocabulary:
    """The ``size`` most frequent words, ties in order of the alphabet, after the two special ones."""
    counts: Counter[str] = Counter()
    for words in words_of(list(texts), lowercase=lowercase):
        counts.update(words)
    for word in _SPECIAL:
        counts.pop(word, None)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return Vocabulary((*_SPECIAL, *ranked[:size]), lowercase)


LAYOUT: Final = Layout(
    kind="skip-thought",
    marker="config.json",
    vocabulary="vocabulary.txt",
    noun="Skip-Thought model",
    command="dialeval train skip-thought",
)

DICTIONARY: Final = "dictionary.txt"
PUBLISHED: Final[Mapping[Literal["uni", "bi"], tuple[str, str]]] = {
    "uni": ("utable.npy", "uni_skip.npz"),
    "bi": ("btable.npy", "bi_skip.npz"),
}
"""Of each of the authors' encoders, the vectors of its words and its weights."""


def own_files(folder: Path) -> list[Path]:
    """The files of a model of ours; empty if the folder lacks any."""
    return _whole(folder, LAYOUT.names)


def published_files(folder: Path) -> list[Path]:
    """The authors' files, of one encoder or both; empty if the folder lacks any."""
    encoders = [path for pair in PUBLISHED.values() for path in _whole(folder, pair)]
    return [*_whole(folder, (DICTIONARY,)), *encoders] if encoders and _whole(folder, (DICTIONARY,)) else []


def _whole(folder: Path, names: tuple[str, ...]) -> list[Path]:
    paths = [folder / name for name in names]
    return paths if all(path.is_file() for path in paths) else []


def write_model(
    folder: Path,
    encoders: Mapping[str, SkipThought],
    vocabulary: Vocabulary,
    config: TrainConfig,
    losses: Sequence[float],
    data: str,
    triples: int,
) -> None:
    """Write the model; its config comes last, so that if it is there, all is."""
    from torch import nn

    about = {
        "format": FORMAT,
        "model": LAYOUT.kind,
        "dialeval": __version__,
        "data": {"sha256": data, "triples": triples},
        "train": asdict(config),
        "losses": list(losses),
    }
    card = Card(
        f"Skip-Thought model ({config.kind}-skip)",
        "A sentence encoder that learnt, without labels, to predict the turns before and after a turn "
        f"(Kiros et al., 2015).\nTrained with dialeval {__version__}. "
        "Score with it: `dialeval score FILE -m \"skip_thought(model='THIS FOLDER')\"`.",
        f"Data: {triples} turns with their neighbours, sha256 `{data}`. Words known: {len(vocabulary)}.",
        asdict(config),
        ("epoch", "training loss, nats per word"),
        [(str(epoch), f"{loss:.4f}") for epoch, loss in enumerate(losses, start=1)],
    )
    words = "".join(word + "\n" for word in vocabulary.words).encode("utf-8", "surrogatepass")
    LAYOUT.write(folder, about, nn.ModuleDict(encoders), words, card)


def read_model(folder: Path) -> tuple[dict[str, SkipThought], Vocabulary]:
    """The folder's encoders and the words they know."""
    from torch import nn

    from dialeval.metrics.skip_thought.model import make_encoders

    config = LAYOUT.read(folder, lambda about: TrainConfig(**about["train"]))
    path = folder / LAYOUT.vocabulary
    with as_bad_input((UnicodeDecodeError,), str(path), "text", "words in UTF-8", "Train the model again."):
        text = path.read_text(encoding="utf-8", errors="surrogatepass")
    vocabulary = Vocabulary(tuple(text.removesuffix("\n").split("\n")), config.lowercase)
    model = LAYOUT.load_weights(folder, lambda: nn.ModuleDict(make_encoders(config, len(vocabulary))))
    return cast("dict[str, SkipThought]", dict(model.items())), vocabulary
