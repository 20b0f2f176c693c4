"""Scenarios of simulated users: goals, facts, persona, scripted first turns, and what counts as success."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, TypeAlias

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.parts import assertions_of
from dialeval.data.codec.sources import file_of
from dialeval.data.types import ASSERTIONS, LANGUAGES, Assertion
from dialeval.errors import BadInput
from dialeval.files.atomic import atomic_path
from dialeval.files.folders import is_there
from dialeval.files.foreign import check_yaml_size, load_yaml
from dialeval.files.problems import places
from dialeval.judge.rubrics import RUBRICS

LEAST: Final = 1
MOST: Final = 12
"""Turns of the user at least and at most, unless a scenario says otherwise."""
_LARGEST: Final = 64 * 2**20
_TODO: Final = "'dialeval docs talks' has an example of every key."

Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=20_000, pattern=r"\S")]
When: TypeAlias = Literal["start", "asked"]
"""When the user may tell a fact: from the start on, or only after the system asked for it."""


def _as_text(value: object) -> object:
    written = isinstance(value, int | float | date) and not isinstance(value, bool)
    return str(value) if written else value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fact(_Strict):
    """Something that the user knows and may tell."""

    value: Annotated[Text, BeforeValidator(_as_text)]
    when: When = "start"
    asked_by: tuple[Text, ...] = ()
    """Words of a system's turn that ask for it; those of its name if none are given."""


class Call(_Strict):
    """A call of a tool that success requires, with the arguments that matter."""

    name: Text
    arguments: dict[str, Any] = {}


class JudgedBy(_Strict):
    """A judge whose verdict on the whole talk success requires."""

    model: Text
    rubric: Text = "goal_reached"
    base_url: Text | None = None
    api_key_env: Text | None = None
    mode: Literal["expected", "json", "yes_no"] | None = None
    """Form of the verdict; by default ``json`` of a server and ``expected`` of a model that runs here."""
    at_least: Annotated[float, Field(allow_inf_nan=False)] = 4.0

    @field_validator("rubric")
    @classmethod
    def _check_rubric(cls, rubric: str) -> str:
        if rubric not in RUBRICS and not rubric.endswith((".yaml", ".yml")):
            raise PydanticCustomError(
                "data",
                "there is no rubric called {found}; there are {known}, and your own as a YAML file",
                {"found": rubric, "known": ", ".join(RUBRICS)},
            )
        return rubric


class Criterion(_Strict):
    """One of the conditions of success, all of which must hold."""

    said: dict[str, Any] | None = None
    """An assertion as items have them (``{contains: ...}``) about what the system said in all of its turns."""
    last: dict[str, Any] | None = None
    """The same about its last turn."""
    call: Call | None = None
    judge: JudgedBy | None = None
    function: Text | None = None
    """``file.py:NAME``, called with the messages and the scenario; it returns true, false or None."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise PydanticCustomError(
                "data",
                "a criterion must have one of the keys said, last, call, judge and function, found {given}",
                {"given": ", ".join(given) or "none"},
            )
        return self

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """The assertions about what the system said."""
        given = self.said if self.said is not None else self.last
        return () if given is None else assertions_of({"assert": given}, Where("scenario"))


def _as_criteria(given: object) -> object:
    """Criteria as a list; an assertion may stand without ``said``, a judge or function without a list."""
    listed = given if isinstance(given, list) else [given]
    return [
        {"said": each}
        if isinstance(each, Mapping) and each and all(_is_assertion(str(key)) for key in each)
        else each
        for each in listed
    ]


def _is_assertion(key: str) -> bool:
    plain = key.replace("-", "_").lower().removeprefix("not_")
    return plain in (*ASSERTIONS, "icontains", "ignore_case", "type", "value")


def _as_facts(given: object) -> object:
    if not isinstance(given, Mapping):
        return given
    return {
        name: fact if isinstance(fact, Mapping | Fact) else {"value": _as_text(fact)}
        for name, fact in given.items()
    }


class Scenario(_Strict):
    """Goal, knowledge and words of a simulated user, and what the system must have done at the end."""

    id: Annotated[Text, BeforeValidator(_as_text)]
    goal: Text
    facts: Annotated[dict[str, Fact], BeforeValidator(_as_facts)] = {}
    persona: Text | None = None
    first: tuple[Text, ...] = ()
    """The user's first turns, said as they stand."""
    instructions: Text | None = None
    """Text that the system is told before the talk, as its knowledge; a system turn at the beginning."""
    success: Annotated[tuple[Criterion, ...], BeforeValidator(_as_criteria)] = ()
    least: Annotated[int, Field(ge=1, le=200)] = LEAST
    most: Annotated[int, Field(ge=1, le=200)] = MOST
    language: str | None = None
    metadata: dict[str, Any] = {}

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.least > self.most:
            raise PydanticCustomError(
                "data",
                "least is {least}, more than most ({most})",
                {"least": self.least, "most": self.most},
            )
        if len(self.first) > self.most:
            raise PydanticCustomError(
                "data",
                "first has {turns} turns, more than most ({most})",
                {"turns": len(self.first), "most": self.most},
            )
        if "/" in self.id:
            raise PydanticCustomError(
                "data", "id has a slash, which joins it with the repeat: SCENARIO/REPEAT"
            )
        if self.language is not None and self.language not in LANGUAGES:
            raise PydanticCustomError(
                "data", "language is {found}, expected a code such as en or de", {"found": self.language}
            )
        for number, criterion in enumerate(self.success):
            try:
                criterion.assertions  # noqa: B018  (checked here, used when the talk is over)
            except BadInput as error:
                raise PydanticCustomError(
                    "data",
                    "success[{number}]: found {found}, expected {expected}",
                    {"number": number, "found": error.found, "expected": error.expected},
                ) from None
        return self

    def fields(self) -> dict[str, object]:
        """Return the keys that are not left at their defaults, as a file holds them."""
        return self.model_dump(exclude_defaults=True, mode="json")


class Scenarios(NamedTuple):
    """The scenarios of a file, and its digest."""

    scenarios: tuple[Scenario, ...]
    digest: str


def read_scenarios(path: str | Path) -> Scenarios:
    """Return the scenarios of a YAML or JSONL file, at least one, with different ids.

    BadInput names the line or entry and the field of the first problem.
    """
    path = Path(path)
    if not is_there(path) or path.is_dir():
        found = "a directory" if path.is_dir() else "no such file"
        raise BadInput(str(path), found, "scenarios in YAML or JSON Lines", _TODO)
    given = _of_yaml(path) if path.suffix in (".yaml", ".yml") else _of_rows(path)
    scenarios: list[Scenario] = []
    places_by_id: dict[str, str] = {}
    for entry in given:
        scenario = _scenario(entry)
        if scenario.id in places_by_id:
            todo = "Give each scenario an id of its own."
            found = f"the id {scenario.id!r} again (first {places_by_id[scenario.id]})"
            raise BadInput(str(path), found, "ids that differ", todo, entry.line, f"{entry.field}id")
        places_by_id[scenario.id] = f"in line {entry.line}"
        scenarios.append(scenario)
    if not scenarios:
        raise BadInput(str(path), "no scenario", "at least one", _TODO)
    return Scenarios(tuple(scenarios), digest_of(scenarios))


def digest_of(scenarios: Iterable[Scenario]) -> str:
    """Return the sha256 of all that the scenarios say, whatever the file's form."""
    content = [scenario.fields() for scenario in scenarios]
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def write_scenarios(path: Path, scenarios: Sequence[Scenario]) -> None:
    """Write the scenarios as YAML or, by the suffix, as JSON Lines."""
    content = [scenario.fields() for scenario in scenarios]
    with atomic_path(path) as scratch:
        if path.suffix in (".yaml", ".yml"):
            text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
        else:
            text = "".join(f"{json.dumps(fields, ensure_ascii=False)}\n" for fields in content)
        scratch.write_text(text, encoding="utf-8")


class _Entry(NamedTuple):
    """One scenario as it stands in a file."""

    path: str
    given: object
    line: int | None
    field: str
    """Path to it within a list, such as ``[2].``; empty of JSON Lines."""


def _of_rows(path: Path) -> Iterator[_Entry]:
    for row in rows_of(path)(path, refuse):
        yield _Entry(row.where.path, row.fields, row.where.line, "")


def _of_yaml(path: Path) -> Iterator[_Entry]:
    raw = file_of(path).read_bytes()
    if len(raw) > _LARGEST:
        raise BadInput(str(path), f"{len(raw):,} bytes", f"at most {_LARGEST // 2**20} MiB", _TODO)
    try:
        given = load_yaml(str(path), raw.decode())
    except UnicodeDecodeError:
        raise BadInput(str(path), "bytes that are not UTF-8", "UTF-8 text", "Convert the file.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        found = str(getattr(error, "problem", None) or "text that is not YAML")
        raise BadInput(str(path), found, "valid YAML", _TODO, mark.line + 1 if mark else None) from None
    except (ValueError, RecursionError):
        raise BadInput(str(path), "text that is not YAML", "valid YAML", _TODO) from None
    check_yaml_size(str(path), given, "scenarios")
    listed = given.get("scenarios") if isinstance(given, Mapping) and "scenarios" in given else given
    if not isinstance(listed, list):
        held = "nothing" if listed is None else f"a {type(listed).__name__}"
        raise BadInput(str(path), held, "a list of scenarios", _TODO)
    lines = _lines_of(raw.decode())
    for number, entry in enumerate(listed):
        yield _Entry(str(path), entry, lines.get(number), f"[{number}].")


def _lines_of(text: str) -> dict[int, int]:
    """Return the line of each scenario of a YAML file, by its place in the list."""
    node = yaml.compose(text, yaml.SafeLoader)
    if isinstance(node, yaml.MappingNode):
        node = next(value for key, value in node.value if key.value == "scenarios")
    return {number: entry.start_mark.line + 1 for number, entry in enumerate(node.value)}


def _scenario(entry: _Entry) -> Scenario:
    if not isinstance(entry.given, Mapping):
        held = "nothing" if entry.given is None else f"a {type(entry.given).__name__}"
        where = entry.field.rstrip(".") or None
        raise BadInput(entry.path, held, "keys such as id and goal", _TODO, entry.line, where)
    try:
        return Scenario.model_validate(entry.given)
    except ValidationError as error:
        place = places(error.errors(), entry.given)[0]
        told = place.error
        found, expected = f"{str(told['input'])[:80]!r}", place.expected
        if told["type"] == "data":
            found, expected = "a scenario that cannot be", f"another one: {told['msg']}"
        elif told["type"] == "missing":
            found, expected = "nothing", "a value"
        elif told["type"] == "extra_forbidden":
            found = f"the key {place.steps[-1]!r}"
            known = ", ".join(Scenario.model_fields)
            expected = f"one of {known}" if len(place.steps) == 1 else "a known key"
        field = f"{entry.field}{place.path}".rstrip(".") or None
        raise BadInput(entry.path, found, expected, _TODO, entry.line, field) from None
