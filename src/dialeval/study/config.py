"""``study.yaml``: its shape, its checks, and the path to every bad value."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from dialeval.core import System
from dialeval.errors import BadInput, BadStudy, DialevalError, UnknownName, close_names
from dialeval.study.gates import Gate, parse_gate
from dialeval.study.measures import Measure, build_measure
from dialeval.systems import SYSTEMS


@dataclass(frozen=True, slots=True)
class Study:
    """A study ready to run: every name resolved, every path absolute."""

    name: str
    path: Path
    text: str
    """The file as it was read, kept in the run folder."""
    data: Path
    systems: tuple[System, ...]
    kinds: tuple[str, ...]
    """The kind of each system, beside ``systems``."""
    measures: tuple[Measure, ...]
    gates: tuple[Gate, ...] = ()
    seed: int = 0
    trials: int = 1000
    level: float = 0.95
    cluster: Literal["dialogue"] | None = None
    limit: int | None = None


class _StudyFile(BaseModel):
    """The keys of a study file and what each may hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(min_length=1)] | None = None
    data: str
    systems: Annotated[list[dict[str, Any]], Field(min_length=1)]
    measures: Annotated[list[str | dict[str, Any]], Field(min_length=1)]
    gates: list[str] = []
    seed: Annotated[int, Field(ge=0)] = 0
    trials: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    cluster: Literal["dialogue"] | None = None
    limit: Annotated[int, Field(ge=1)] | None = None


def load_study(path: Path) -> Study:
    """The study in ``path``; BadStudy lists every problem at once, each with the path to the bad value."""
    text = _read(path)
    file = _validate(path, _parse(path, text))
    problems: list[str] = []
    systems = [_build_system(at, given, path.parent, problems) for at, given in enumerate(file.systems)]
    measures = [_build_measure(at, given, problems) for at, given in enumerate(file.measures)]
    built = [system for system in systems if system is not None]
    known = [measure for measure in measures if measure is not None]
    problems += _repeats("systems", "name", [system.name for system in built])
    problems += _repeats("measures", "measure", [measure.label for measure in known])
    gates = _build_gates(file.gates, built, known, problems)
    if problems:
        raise BadStudy(str(path), problems)
    return Study(
        name=file.name or path.stem,
        path=path,
        text=text,
        data=_beside(path.parent, Path(file.data)),
        systems=tuple(built),
        kinds=tuple(str(given["kind"]) for given in file.systems),
        measures=tuple(known),
        gates=tuple(gates),
        seed=file.seed,
        trials=file.trials,
        level=file.level,
        cluster=file.cluster,
        limit=file.limit,
    )


def _read(path: Path) -> str:
    needed, todo = (
        "a study file in YAML",
        "See docs/study.md for its shape, or start from 'dialeval demo --copy DIR'.",
    )
    if not path.exists():
        raise BadInput(str(path), "no such file", needed, todo)
    if path.is_dir():
        raise BadInput(str(path), "a directory", needed, todo)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(str(path), f"a byte that is not UTF-8 at offset {error.start}", needed, todo) from None


def _parse(path: Path, text: str) -> object:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadInput(
            path=str(path),
            line=mark.line + 1 if mark else None,
            found=str(getattr(error, "problem", None) or "text that is not YAML"),
            needed="valid YAML",
            todo="Check the indentation and quote values that hold ':' or '#'.",
        ) from None


def _validate(path: Path, content: object) -> _StudyFile:
    if not isinstance(content, dict):
        raise BadStudy(
            str(path),
            [f"the file holds {type(content).__name__}, needed keys such as data, systems, measures"],
        )
    try:
        return _StudyFile.model_validate(content)
    except ValidationError as error:
        raise BadStudy(
            str(path), [_problem(one, _StudyFile.model_fields) for one in error.errors()]
        ) from None


def _problem(error: ErrorDetails, keys: Mapping[str, object], prefix: str = "") -> str:
    """One line for a pydantic error: path, what was found, what was needed, close names."""
    where = prefix + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    where = where.lstrip(".")
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        close = close_names(str(error["loc"][-1]), keys)
        hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else f"; known: {', '.join(keys)}"
        return f"{where}: unknown key{hint}"
    if error["type"] in ("missing", "missing_argument"):
        return f"{where}: missing, and it is needed"
    return f"{where}: found {error['input']!r}, but {error['msg'][0].lower()}{error['msg'][1:]}"


def _build_system(at: int, given: Mapping[str, Any], folder: Path, problems: list[str]) -> System | None:
    where = f"systems[{at}]"
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in SYSTEMS:
        found = "missing" if kind is None else str(UnknownName("kind of system", str(kind), SYSTEMS))
        problems.append(f"{where}.kind: {found}; known kinds: {', '.join(SYSTEMS)}")
        return None
    system_type: Any = SYSTEMS[kind]
    options = {key: value for key, value in given.items() if key != "kind"}
    keys = {field.name: field for field in dataclasses.fields(system_type) if field.init}
    unknown = [key for key in options if key not in keys]
    for key in unknown:
        close = close_names(str(key), keys)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"known: {', '.join(keys)}"
        problems.append(f"{where}.{key}: unknown key for kind {kind!r}; {hint}")
    try:
        system: System = TypeAdapter(system_type).validate_python(
            {k: options[k] for k in options if k in keys}
        )
    except ValidationError as error:
        problems += [_problem(one, keys, where) for one in error.errors()]
        return None
    except DialevalError as error:
        problems.append(f"{where}: {error}")
        return None
    return _resolve_paths(system, folder)


def _resolve_paths(system: Any, folder: Path) -> System:
    paths = {
        field.name: _beside(folder, value)
        for field in dataclasses.fields(system)
        if field.init and isinstance(value := getattr(system, field.name), Path)
    }
    resolved: System = dataclasses.replace(system, **paths)
    return resolved


def _beside(folder: Path, path: Path) -> Path:
    """Paths in a study are relative to the study file, so that it can be run from anywhere."""
    return folder / path.expanduser()


def _build_measure(at: int, given: str | Mapping[str, Any], problems: list[str]) -> Measure | None:
    where = f"measures[{at}]"
    if isinstance(given, str):
        name, options = given, {}
    elif isinstance(given.get("name"), str):
        name, options = given["name"], {key: value for key, value in given.items() if key != "name"}
    else:
        problems.append(f"{where}.name: missing, and it is needed")
        return None
    try:
        return build_measure(name, options)
    except (DialevalError, ValueError) as error:
        problems.append(f"{where}: {error}")
        return None


def _repeats(where: str, what: str, names: list[str]) -> list[str]:
    return [
        f"{where}: the {what} {name!r} occurs {names.count(name)} times"
        for name in sorted({n for n in names if names.count(n) > 1})
    ]


def _build_gates(
    given: list[str], systems: list[System], measures: list[Measure], problems: list[str]
) -> list[Gate]:
    gates = []
    labels, names = [measure.label for measure in measures], [system.name for system in systems]
    for at, text in enumerate(given):
        try:
            gate = parse_gate(text)
            if gate.measure not in labels:
                raise UnknownName("measure in this study", gate.measure, labels)
            if gate.system is not None and gate.system not in names:
                raise UnknownName("system in this study", gate.system, names)
            gates.append(gate)
        except (DialevalError, ValueError) as error:
            problems.append(f"gates[{at}]: {error}")
    return gates
