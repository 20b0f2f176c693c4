"""Cosine of Skip-Thought vectors (Kiros et al., 2015), one of the measures of Sharma et al. (2017)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.encoder.model import Vectors
from dialeval.errors import ResourceUnavailable
from dialeval.files.digests import combine, hash_file
from dialeval.metrics.embedding.sources import Source
from dialeval.metrics.rows import MeanOfValues, NeedsReferences, require_references, rows_of_values
from dialeval.metrics.sentence_cosine import best_cosines
from dialeval.metrics.skip_thought.folder import own_files, published_files
from dialeval.resources.device import scoring_device
from dialeval.resources.huggingface import require_torch

_TODO: Final = (
    "Train a model on your dialogues with 'dialeval train skip-thought CORPUS -o DIR' and write "
    "skip_thought(model='DIR'), or give the folder with the authors' published files ('dialeval docs skip-thought')."
)


@dataclass(frozen=True, slots=True)
class SkipThought(NeedsReferences, MeanOfValues[Example]):
    """Likeness to the nearest reference, the cosine of Skip-Thought vectors in [-1, 1].

    The vectors of uni-skip and bi-skip are each given length 1 and joined, as the authors' code does. Words that the
    model does not know get their vector by way of ``vectors``, if these know them, and else share one. The
    corpus score is the mean. A blank response scores 0, and 1 if a reference is blank too. What else is in the
    batch moves a value by rounding only, about 1e-6.
    """

    name: ClassVar[str] = "skip_thought"
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    silence: ClassVar[float] = 0.0
    family: ClassVar[str] = "sentence vectors"
    model: str | None = None
    """A folder that ``dialeval train skip-thought`` wrote, or one with the authors' files."""
    vectors: str | None = None
    """Word vectors for vocabulary expansion, as the embedding metrics take them; None for no expansion."""

    def __post_init__(self) -> None:
        require_torch("Skip-Thought encoders", "safetensors")
        self._files()
        if self.vectors is not None:
            Source(self.vectors).check()

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The hashes of the weights and of the vectors that widen the vocabulary."""
        facts = (("weights", self._sha256()[:12]), ("tokens", "treebank"), ("references", "best"))
        return facts if self.vectors is None else (*facts, ("expansion", Source(self.vectors).fact))

    @property
    def resources(self) -> Mapping[str, str]:
        """The weights, and the word vectors if there are any, with their sha256."""
        extra = Source(self.vectors).resources if self.vectors is not None else {}
        return {"skip-thought": self._sha256(), **extra}

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's cosine and 1."""
        require_references("skip_thought", examples)
        return rows_of_values(best_cosines(examples, self.encode))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector per text, none of them blank, shape (n, size)."""
        from dialeval.metrics.skip_thought.model import load_sentence_encoder

        folder = Path(self.model or "").resolve()
        return load_sentence_encoder(folder, self._sha256(), self.vectors, scoring_device()).encode(texts)

    def _sha256(self) -> str:
        return combine({path.name: hash_file(path) for path in self._files()})

    def _files(self) -> list[Path]:
        """Return the files that are read of the model's folder."""
        if self.model is None:
            raise ResourceUnavailable(f"skip_thought comes without weights. {_TODO}")
        files = own_files(Path(self.model)) or published_files(Path(self.model))
        if files:
            return files
        raise ResourceUnavailable(f"There is no Skip-Thought model in {self.model!r}. {_TODO}")
