"""Rubrics: what a judge is to judge, what each score means, and examples; twelve of ours, or one's own in YAML."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from dialeval.errors import BadInput, UnknownName
from dialeval.files.folders import with_home
from dialeval.files.foreign import check_yaml_size, load_yaml
from dialeval.files.problems import places

Level: TypeAlias = Literal["turn", "dialogue"]
Text: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S")]

RUBRICS: Final = (
    *("overall", "coherence", "relevance", "engagement", "consistency", "knowledge_use"),
    *("instruction_following", "goal_reached", "empathy", "role_adherence", "safety", "frustration"),
)
"""Names of the rubrics that come with the package."""
_SHIPPED: Final = Path(__file__).with_name("shipped")
_QUESTIONS: Final = Path(__file__).with_name("questions")
"""Rubrics by which other measures ask a judge, each about what it shows."""
_LARGEST: Final = 2**20
_TODO: Final = "'dialeval docs judge' shows a whole rubric."


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Said(_Part):
    """One turn of an example."""

    role: Text
    content: str


class Verdicted(_Part):
    """An example: a response in its context, or a whole dialogue, the score that it deserves, and why."""

    context: tuple[Said, ...] = ()
    response: str | None = None
    """None for a whole dialogue, which is the context."""
    score: int
    reason: Text


class Rubric(_Part):
    """What is judged and by which scale; the text that a judge is shown, and nothing else of it, is its identity."""

    name: Text
    criterion: Text
    """What is judged, as a person would be told."""
    question: Text
    """The same as a question that is answered yes or no; yes is what a high score means."""
    scores: Annotated[dict[int, Text], Field(min_length=2, max_length=21)]
    """What each score means; the scores are whole numbers without a gap."""
    levels: Annotated[tuple[Level, ...], Field(min_length=1)] = ("turn", "dialogue")
    """What it may be asked about."""
    higher_is_better: bool = True
    examples: tuple[Verdicted, ...] = ()

    @field_validator("scores")
    @classmethod
    def _check_scores(cls, scores: dict[int, str]) -> dict[int, str]:
        given = sorted(scores)
        if given != list(range(given[0], given[-1] + 1)) or given[0] < 0:
            raise PydanticCustomError(
                "data", "scores must be whole numbers from 0 without a gap, as in 1, 2, 3, 4, 5"
            )
        return scores

    @model_validator(mode="after")
    def _check_examples(self) -> Self:
        for number, example in enumerate(self.examples):
            if example.score not in self.scores:
                raise PydanticCustomError(
                    "data",
                    "examples[{number}].score is none of {scores}",
                    {"number": number, "scores": ", ".join(map(str, self.scale))},
                )
        return self

    @property
    def scale(self) -> tuple[int, ...]:
        """The scores, lowest first."""
        return tuple(sorted(self.scores))

    @property
    def best(self) -> int:
        """The score at the good end of the scale."""
        return self.scale[-1 if self.higher_is_better else 0]

    @property
    def sha256(self) -> str:
        """Digest of all that it says, whatever the file's comments and order."""
        content = {**self.model_dump(), "scores": sorted(self.scores.items())}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def load_rubric(name: str, folder: Path = Path()) -> Rubric:
    """The rubric of ours of that name, or the one in a YAML file below ``folder``.

    BadInput says what is wrong with it, and where.
    """
    if name in RUBRICS or (name.isidentifier() and (_QUESTIONS / f"{name}.yaml").is_file()):
        return _shipped(name)
    path = folder / with_home(name)
    if Path(name).suffix not in (".yaml", ".yml"):
        todo = f"There are {', '.join(RUBRICS)}; name one of your own by its file, as in polite.yaml."
        raise UnknownName("rubric", name, RUBRICS, todo=todo)
    if not path.is_file():
        raise BadInput(name, "no such file", "a rubric in YAML", "Check the path of 'rubric'.")
    content = path.read_bytes()
    return read_rubric(content, name)


@cache
def _shipped(name: str) -> Rubric:
    folder = _SHIPPED if name in RUBRICS else _QUESTIONS
    return read_rubric((folder / f"{name}.yaml").read_bytes(), f"{name}.yaml")


@lru_cache(maxsize=32)  # it is asked for once per item
def read_rubric(content: bytes, path: str) -> Rubric:
    """The rubric that a YAML file at this path holds."""
    if len(content) > _LARGEST:
        raise BadInput(path, f"{len(content):,} bytes", "a rubric of at most 1 MiB", _TODO)
    try:
        given = load_yaml(path, content.decode())
    except UnicodeDecodeError:
        raise BadInput(path, "bytes that are not UTF-8", "UTF-8 text", "Convert the file.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        found = str(getattr(error, "problem", None) or "text that is not YAML")
        raise BadInput(path, found, "valid YAML", _TODO, mark.line + 1 if mark else None) from None
    except (ValueError, RecursionError):
        raise BadInput(path, "text that is not YAML", "valid YAML", _TODO) from None
    check_yaml_size(path, given, "a rubric")
    if not isinstance(given, Mapping):
        held = "nothing" if given is None else f"a {type(given).__name__}"
        raise BadInput(path, held, "keys such as name, criterion, question, scores", _TODO)
    try:
        return Rubric.model_validate(given)
    except ValidationError as error:
        place = places(error.errors(), given)[0]
        told = place.error
        found = "nothing" if told["type"] == "missing" else f"{str(told['input'])[:80]!r}"
        expected = told["msg"] if told["type"] == "data" else place.expected
        if told["type"] == "missing":
            expected = "a value"
        elif told["type"] == "extra_forbidden":
            expected = f"one of {', '.join(Rubric.model_fields)}" if len(place.steps) == 1 else "a known key"
            found = f"the key {place.steps[-1]!r}"
        raise BadInput(path, found, expected, _TODO, field=place.path or None) from None
