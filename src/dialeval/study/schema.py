"""The keys of ``study.yaml`` and what each may hold; one line for each problem of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Final, Literal, TypeAlias

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from dialeval.data.codec.sources import encoding_advice
from dialeval.engine.settings import EngineName, EngineSettings
from dialeval.errors import BadInput, BadStudy, close_names
from dialeval.files.folders import is_there
from dialeval.files.foreign import as_bad_input, check_yaml_size, load_yaml
from dialeval.files.problems import Place, places
from dialeval.ratings.checks import Repeats
from dialeval.stats.tests.multiple import Correction
from dialeval.study.document import MissingRule
from dialeval.systems.spending import Budget


class DataFile(BaseModel):
    """Keys of ``data``, if it is not a bare path."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Annotated[str, Field(min_length=1)]
    columns: dict[str, str | list[str]] | str | None = None


def _as_data(given: object) -> object:
    if isinstance(given, str):
        return {"path": given or "."}
    if isinstance(given, dict):
        return given
    raise PydanticCustomError("data", "it must be the path of a file of contexts, or {{path, columns}}")


class HumanFile(BaseModel):
    """Keys of ``human``, if it is not a bare path."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Annotated[str, Field(min_length=1)]
    criterion: Annotated[str, Field(min_length=1)] | None = None
    format: Annotated[str, Field(min_length=1)] | None = None
    repeats: Repeats | None = None
    scale: Annotated[str, Field(min_length=1)] | None = None


def _as_human(given: object) -> object:
    if isinstance(given, str):
        return {"path": given}
    if given is None or isinstance(given, dict):
        return given
    raise PydanticCustomError("human", "it must be the path of a file of ratings, or {path, criterion}")


class ResourceNeeds(BaseModel):
    """Keys of ``engine.resources``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cpus: Annotated[float, Field(ge=0)] = 1.0
    gpus: Annotated[float, Field(ge=0)] = 0.0


class EngineFile(BaseModel):
    """Keys of ``engine``, if it is not a bare name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: EngineName
    address: Annotated[str, Field(min_length=1)] = "local"
    resources: ResourceNeeds = ResourceNeeds()

    @property
    def settings(self) -> EngineSettings:
        """The engine with its settings."""
        return EngineSettings(self.name, self.address, self.resources.cpus, self.resources.gpus)


def _as_user(given: object) -> object:
    return {"model": given} if isinstance(given, str) else given


class TalksFile(BaseModel):
    """Keys of ``talks``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scenarios: Annotated[str, Field(min_length=1)]
    user: Annotated[dict[str, Any], BeforeValidator(_as_user)]
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1
    reviewer: Annotated[dict[str, Any] | None, BeforeValidator(_as_user)] = None


class BudgetFile(BaseModel):
    """Keys of ``budget``: what the study may spend on all servers and judges together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    requests: Annotated[int, Field(ge=1)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def settings(self) -> Budget:
        """The budget."""
        return Budget(self.requests, self.tokens, self.cost)


def _as_engine(given: object) -> object:
    return {"name": given} if isinstance(given, str) else given


def _as_list(given: object) -> object:
    return [given] if isinstance(given, str) else given


Margin: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class StudyFile(BaseModel):
    """The keys of a study file and what each may hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)] | None = None
    data: Annotated[DataFile, BeforeValidator(_as_data)]
    talks: TalksFile | None = None
    references: Annotated[list[str], BeforeValidator(_as_list)] = []
    turns: Literal["last", "all"] = "last"
    systems: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    measures: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    judge_pairs: dict[str, Any] | None = None
    human: Annotated[HumanFile | None, BeforeValidator(_as_human)] = None
    gates: list[str] = []
    seed: Annotated[int, Field(ge=0)] = 0
    trials: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    cluster: Literal["auto", "dialogue", "none"] = "auto"
    limit: Annotated[int, Field(ge=1)] | None = None
    missing: MissingRule = "auto"
    allow_unanswered: Annotated[float, Field(ge=0, le=1)] = 0.0
    gold: Annotated[list[str], BeforeValidator(_as_list)] = []
    primary: Annotated[str, Field(min_length=1)] | None = None
    correction: Correction = "holm"
    margin: Margin | dict[str, Margin] | None = None
    engine: Annotated[EngineFile | None, BeforeValidator(_as_engine)] = None
    budget: BudgetFile | None = None


_LARGEST: Final = 8 * 2**20
"""Bytes of a study file; a device has no end."""


def read_text(path: Path) -> str:
    """The study file's text."""
    expected, todo = (
        "a study file in YAML",
        "See 'dialeval docs study' for its shape, or start from 'dialeval demo --copy DIR'.",
    )
    if not is_there(path):
        raise BadInput(str(path), "no such file", expected, todo)
    if path.is_dir():
        raise BadInput(str(path), "a directory", expected, todo)
    with path.open("rb") as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise BadInput(str(path), f"more than {_LARGEST // 2**20} MiB", expected, todo)
    try:
        return raw.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        todo = encoding_advice(raw, str(path)) if _may_be_yaml(path) else _init_advice(path)
        raise BadInput(
            str(path), f"a byte that is not UTF-8 at offset {error.start}", expected, todo
        ) from None


def _may_be_yaml(path: Path) -> bool:
    """Whether the name is that of no file of data."""
    return path.suffix.lower() in ("", ".yaml", ".yml", ".json")


def _init_advice(path: Path) -> str:
    return f"If it holds data, 'dialeval init {quote(str(path))}' writes a study for it."


_PAIR: Final = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
"""Two halves of one character, as JSON escapes an emoji; YAML would read them as two characters."""


def _joined(pair: re.Match[str]) -> str:
    return bytes.fromhex(pair[1] + pair[2]).decode("utf-16-be")


def parse_yaml(path: Path, text: str) -> Mapping[str, object]:
    """The keys of a study file."""
    syntax = "Check the indentation and quote values that hold ':' or '#'."
    todo = syntax if _may_be_yaml(path) else _init_advice(path)
    # A date such as 2026-13-01 raises ValueError.
    with as_bad_input((ValueError, RecursionError), str(path), "YAML", "valid YAML", todo):
        try:
            content = load_yaml(str(path), _PAIR.sub(_joined, text))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise BadInput(
                path=str(path),
                line=mark.line + 1 if mark else None,
                found=str(getattr(error, "problem", None) or "text that is not YAML"),
                expected="valid YAML",
                todo=todo,
            ) from None
    check_yaml_size(str(path), content, "a study")
    if not isinstance(content, dict) or _is_no_study(content):
        held = _HELD.get(type(content), f"a {type(content).__name__}")
        wanted = f"the file holds {held}, expected keys such as data, systems, measures."
        raise BadStudy(str(path), [f"{wanted} {_init_advice(path)}"])
    return content


def _is_no_study(content: Mapping[object, object]) -> bool:
    """Whether there are keys, and none is one of a study, nor a misspelt one."""
    return bool(content) and not any(close_names(str(key), StudyFile.model_fields) for key in content)


_HELD: Final = {type(None): "nothing", str: "text", list: "a list", dict: "no key of a study"}


def check_shape(content: Mapping[str, object]) -> StudyFile | list[str]:
    """The study's keys and values, or what is wrong with them."""
    try:
        return StudyFile.model_validate(content)
    except ValidationError as error:
        return [problem(place, _keys(place.error)) for place in places(error.errors(), content)]


def _keys(error: ErrorDetails) -> Mapping[str, object]:
    """The keys that are known where the error is."""
    match error["loc"]:
        case ("data", _, *_):
            return DataFile.model_fields
        case ("human", _, *_):
            return HumanFile.model_fields
        case ("engine", "resources", _, *_):
            return ResourceNeeds.model_fields
        case ("engine", _, *_):
            return EngineFile.model_fields
    return StudyFile.model_fields


def problem(place: Place, keys: Mapping[str, object]) -> str:
    """One line for a pydantic error: path, what was found, what was needed, close names."""
    error, where = place.error, place.path
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        close = close_names(str(error["loc"][-1]), keys)
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else f"; known: {', '.join(keys)}"
        return f"{where}: unknown key{hint}"
    if error["type"] == "too_short":
        return f"{where}: found an empty list, expected at least one"
    if error["type"] in ("missing", "missing_argument"):
        return f"{where}: required"
    if error["type"] in ("data", "human"):
        return f"{where}: found {error['input']!r}, but {error['msg']}"
    return f"{where}: found {error['input']!r}, expected {place.expected}"
