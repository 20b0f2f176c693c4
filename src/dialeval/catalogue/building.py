"""Systems built from the keys of a study or from one line of text, and what each kind takes and needs."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dialeval.catalogue.systems import SYSTEMS
from dialeval.core import System, innermost
from dialeval.data.codec.sources import beside, file_of
from dialeval.data.results import EXAMPLES
from dialeval.errors import BadInput, DialevalError, UnknownName, Unsuitable, close_names, install_command
from dialeval.files.folders import is_there, with_home
from dialeval.files.problems import Place, places
from dialeval.systems.custom import custom_place, make_custom_system
from dialeval.systems.huggingface import EMBEDDED
from dialeval.text.calls import split_call

_TABLES: Final = (
    "A decoding with options is written as in decoding='beam(beams=10)'; other keys that hold keys of their own need a "
    "study, of which STUDY.yaml:NAME is one system."
)
Ability: TypeAlias = Literal["answer", "replay", "give log-probabilities"]

_ABILITIES: Final[Mapping[str, Ability]] = {
    "generate": "answer",
    "replay": "replay",
    "logprob": "give log-probabilities",
}


class KeyProblem(NamedTuple):
    """Problem of a system's keys."""

    key: str | None
    """None where it concerns the system as a whole."""
    text: str

    def __str__(self) -> str:
        return f"{self.key}: {self.text}" if self.key else self.text


def build_system(text: str, *, folder: Path | None = None) -> System:
    """The system that one line of text names.

    A kind with its keys, ``retrieval(corpus='chats.jsonl')``; the name of the embedded model; a folder of weights; a
    file of recorded responses; or custom code, ``bot.py:reply``. Paths are relative to
    ``folder``, or to where we are.

    >>> build_system("echo").name
    'echo'
    """
    here = Path.cwd() if folder is None else folder
    kind, options = _kind_and_options(text, here)
    if kind not in SYSTEMS and (place := custom_place(kind)) is not None:
        return make_custom_system(place, options, folder=here)
    if kind not in SYSTEMS:
        todo = (
            f"There are {', '.join(SYSTEMS)}; {EMBEDDED}; folders of weights, files of responses, and your own code as "
            "file.py:NAME."
        )
        raise UnknownName("system", text, [*SYSTEMS, EMBEDDED], todo=todo)
    made = make_system(kind, {"name": _name(kind, options), **options}, folder=here)
    if isinstance(made, list):
        raise DialevalError(
            "\n".join([f"Cannot make the system {text!r}:", *(f"  {problem}" for problem in made)])
        )
    return made


def make_system(
    kind: str,
    options: Mapping[str, object],
    *,
    folder: Path,
    kinds: Mapping[str, Callable[..., System]] = SYSTEMS,
) -> System | list[KeyProblem]:
    """A system of one of the ``kinds`` with these keys, or everything that is wrong with them."""
    from pydantic import TypeAdapter, ValidationError

    maker: Any = kinds[kind]
    keys = keys_of(maker)
    problems = [_unknown_key(str(key), kind, keys) for key in options if key not in keys]
    try:
        system: Any = TypeAdapter[Any](maker).validate_python({k: options[k] for k in options if k in keys})
    except ValidationError as error:
        return problems + [_problem(place) for place in places(error.errors(), options)]
    except DialevalError as error:
        return [*problems, KeyProblem(None, str(error))]
    moved = {key: _beside(folder, path) for key, path in paths_of(system).items()}
    if kind == "transcript":
        moved = {key: _recording(path) for key, path in moved.items()}
    system = dataclasses.replace(system, **moved, **_model_beside(folder, kind, system))
    problems += [
        KeyProblem(key, f"no such file or folder: {path}")
        for key, path in inputs_of(system)
        if not is_there(file_of(path))
    ]
    made: System = system
    return problems or (_around(system, folder) if kind == "filtered" else made)


def _around(filtering: Any, folder: Path) -> System | list[KeyProblem]:
    """The filter around the system that its key ``system`` names, or what is wrong with that."""
    try:
        inner = _inner(filtering.system, filtering.name, folder)
    except DialevalError as error:
        return [KeyProblem("system", str(error))]
    if isinstance(inner, list):
        return [KeyProblem(f"system.{each.key}" if each.key else "system", each.text) for each in inner]
    if hasattr(inner, "wraps"):
        return [KeyProblem("system", f"found the filter {inner.name!r}, expected a system without a filter")]
    if not any(hasattr(inner, verb) for verb in ("generate", "replay")):
        return [KeyProblem("system", f"found {inner.name!r}, which gives no responses")]
    if len(getattr(inner, "runs", ())) > 1:
        return [KeyProblem("system", "found several runs, expected one: give the file of one, as 'path'")]
    try:
        made: System = filtering.around(inner, folder)
    except Unsuitable as error:
        return [KeyProblem("system", str(error))]
    return made


def _inner(given: object, name: str, folder: Path) -> System | list[KeyProblem]:
    if isinstance(given, str):
        return build_system(given, folder=folder)
    kind = given.get("kind") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(kind, str):
        expected = "the name of another system, a line of text or keys with 'kind'"
        return [KeyProblem(None, f"found {given!r}, expected {expected}")]
    options = {"name": name, **{str(key): value for key, value in given.items() if key != "kind"}}
    if kind not in SYSTEMS and (place := custom_place(kind)) is not None:
        return make_custom_system(place, options, folder=folder)
    if kind not in SYSTEMS:
        return [KeyProblem("kind", str(UnknownName("kind of system", kind, SYSTEMS)))]
    return make_system(kind, options, folder=folder)


def keys_of(maker: Callable[..., System]) -> dict[str, dataclasses.Field[Any]]:
    """The keys a study may give a kind of system, with the fields that hold them."""
    kind: Any = maker
    return {
        field.name: field
        for field in dataclasses.fields(kind)
        if field.init and field.metadata.get("key", True)
    }


def paths_of(system: Any) -> dict[str, Path | tuple[Path, ...]]:
    """The files and folders a system names, by key; a key may hold several."""
    if not dataclasses.is_dataclass(system):
        return {}  # a custom class, which need not say what it reads
    kind: Any = type(system)
    values = {key: getattr(system, key) for key in keys_of(kind)}
    return {
        key: value
        for key, value in values.items()
        if isinstance(value, Path)
        or (isinstance(value, tuple) and value and all(isinstance(path, Path) for path in value))
    }


def inputs_of(system: Any) -> list[tuple[str, Path]]:
    """Those of its paths that a system reads, and that must be there, with keys; where it keeps things need not be."""
    system = innermost(system)
    named = paths_of(system)
    if "paths" in named:  # of several runs, the first of which is the path too
        named.pop("path", None)
    return [
        (key, path)
        for key, value in named.items()
        if key != "cache"
        for path in (value if isinstance(value, tuple) else (value,))
    ]


def _kind_and_options(text: str, here: Path) -> tuple[str, dict[str, object]]:
    if text == EMBEDDED:
        return "huggingface", {"model": text}
    path = here / with_home(text)
    if is_there(path) and path.is_dir():
        return _folder(path)
    if is_there(file_of(path)) and file_of(path).is_file():
        return "transcript", {"path": path}
    try:
        call = split_call(text)
    except ValueError as error:
        if "(" not in text:
            return text, {}
        hint = f" {_TABLES}" if "{" in text else ""
        raise DialevalError(f"Cannot read the system {text!r}: {error}.{hint}") from None
    if call.rest:
        raise DialevalError(f"Found {call.rest!r} after the system {call.name!r}; write only its brackets.")
    return call.name, dict(call.parameters)


def _folder(path: Path) -> tuple[str, dict[str, object]]:
    """A folder's weights are ours where we trained them, and otherwise in Hugging Face's layout."""
    if is_there(path / "generator.json"):
        return "trained", {"path": path}
    if is_there(path / "nlg.json"):
        return "nlg", {"path": path}
    if is_there(path / "config.json"):
        return "huggingface", {"model": str(path)}
    raise BadInput(
        path=str(path),
        found="a folder with none of generator.json, nlg.json and config.json",
        expected="a folder from 'dialeval train generator' or 'train nlg', or a model in Hugging Face's layout",
        todo="Check the path; 'dialeval systems ls' lists what there is.",
    )


def _name(kind: str, options: Mapping[str, object]) -> str:
    if kind == "filtered":
        return f"filtered {options.get('system', '')}".strip()
    told = options.get("model") or options.get("system") or options.get("path")
    return (
        file_of(str(told)).stem if kind == "transcript" and told else Path(str(told)).name if told else kind
    )


def _recording(path: Path | tuple[Path, ...]) -> Any:
    """The file of responses, or those of several runs; of a run folder, the one in it."""
    if isinstance(path, tuple):
        return tuple(map(_recording, path))
    return path / EXAMPLES if is_there(path / EXAMPLES) else path


def _beside(folder: Path, path: Path | tuple[Path, ...]) -> Any:
    if isinstance(path, tuple):
        return tuple(beside(folder, each) for each in path)
    return beside(folder, path)


def _model_beside(folder: Path, kind: str, system: Any) -> dict[str, str]:
    """The model's folder, where ``model`` is one; a name of the hub can look like a path."""
    if kind != "huggingface" or system.model == EMBEDDED:
        return {}
    path = _beside(folder, Path(system.model))
    return {"model": str(path)} if path.is_dir() or system.model.startswith((".", "~")) else {}


def _unknown_key(key: str, kind: str, keys: Mapping[str, object]) -> KeyProblem:
    close = close_names(key, keys)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"known: {', '.join(keys)}"
    return KeyProblem(key, f"unknown key for kind {kind!r}; {hint}")


def _problem(place: Place) -> KeyProblem:
    error, key = place.error, place.path or None
    if error["type"] in ("missing", "missing_argument"):
        return KeyProblem(key, "required")
    if error["type"] == "value_error":
        return KeyProblem(key, str(error["ctx"]["error"]))
    return KeyProblem(key, f"found {error['input']!r}, expected {place.expected}")


class Key(NamedTuple):
    """A key a study gives a system."""

    name: str
    needed: bool
    default: str | None
    """As it prints; None where there is none."""


@dataclasses.dataclass(frozen=True, slots=True)
class KindInfo:
    """A kind of system."""

    kind: str
    summary: str
    keys: tuple[Key, ...]
    abilities: tuple[Ability, ...]
    missing: tuple[str, ...]
    """Packages that it needs and that are not installed."""
    install: str | None
    """Command that installs them."""


def kinds() -> tuple[KindInfo, ...]:
    """Every kind of system, in the order of their names; nothing heavy is imported to tell."""
    return tuple(_info(kind, SYSTEMS[kind]) for kind in sorted(SYSTEMS))


def _info(kind: str, maker: Callable[..., System]) -> KindInfo:
    extra, packages = SYSTEMS.traits[kind]
    return KindInfo(
        kind=kind,
        summary=(inspect.getdoc(maker) or "").split("\n\n")[0].replace("\n", " ").replace("``", ""),
        keys=tuple(_key(field) for name, field in keys_of(maker).items() if name != "name"),
        abilities=tuple(word for method, word in _ABILITIES.items() if hasattr(maker, method)),
        missing=tuple(package for package in packages if find_spec(package) is None),
        install=install_command(extra) if extra else None,
    )


def _key(field: dataclasses.Field[object]) -> Key:
    if field.default is not dataclasses.MISSING:
        return Key(field.name, False, str(None if field.default == Path() else field.default))
    if field.default_factory is not dataclasses.MISSING:
        return Key(field.name, False, str(field.default_factory()))
    return Key(field.name, True, None)
