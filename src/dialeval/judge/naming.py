"""Judges by name: ``judge:NAME`` of a YAML file or a model that runs here, or the call ``judge(model=...)``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

from dialeval.errors import BadInput, DialevalError
from dialeval.files.folders import with_home
from dialeval.files.foreign import check_yaml_size, load_yaml
from dialeval.judge.metric import Judge
from dialeval.text.calls import Scalar, construct, look_up, print_call

PREFIX: Final = "judge:"
_ASKED: Final = frozenset({"rubric", "level", "reference", "steps", "combine", "folder"})
"""Keys of the measure 'judge' that say what is asked, which other measures do themselves."""
_LARGEST: Final = 2**16
_TODO: Final = "Write the keys of the measure 'judge', as model, base_url and mode: 'dialeval docs judge'."


def names_judge(name: str) -> bool:
    """Return whether a detector or reader of that name is a judge."""
    return name.startswith((PREFIX, "judge("))


def judge_named(name: str, question: str, *, binary: bool) -> Judge:
    """The judge of that name, to be asked one of our questions.

    With ``mode: json`` it replies with one of the question's scores. Otherwise log-probabilities tell: those of yes and
    no if the question is ``binary``, or those of all scores.
    """
    given, folder = (
        _called(name) if name.startswith("judge(") else _described(name.removeprefix(PREFIX).strip())
    )
    mode = "json" if given.get("mode") == "json" else "yes_no" if binary else "expected"
    own = {**given, "mode": mode, "rubric": question, "folder": folder}
    return construct(print_call("judge", own.items()), {"judge": Judge}, kind="measure")


def _called(name: str) -> tuple[Mapping[str, Scalar], str]:
    """The keys of a call, as measures are named elsewhere."""
    _, call = look_up(name, {"judge": Judge}, kind="judge")
    return _checked(dict(call.parameters), name), "."


def _checked(given: Mapping[str, Scalar], name: str) -> Mapping[str, Scalar]:
    """The keys; BadInput if one of them says what is asked."""
    asked = sorted(_ASKED & given.keys())
    if asked:
        todo = "Leave it out: the measure that asks this judge says what it is asked."
        raise BadInput(name, f"the key {asked[0]!r}", "what describes the model and its server", todo)
    return given


def _described(name: str) -> tuple[Mapping[str, Scalar], str]:
    """The keys that describe a judge, and the folder to which its paths are relative."""
    if Path(name).suffix not in (".yaml", ".yml"):
        if not name:
            raise DialevalError(
                f"{PREFIX}: found no name, expected that of a YAML file with a judge, as in {PREFIX}strong.yaml, or "
                "of a model that runs here."
            )
        return {"model": name}, "."
    path = with_home(name)
    given = _read(path, name)
    for key, value in given.items():
        if not isinstance(value, str | int | float | bool | None):
            raise BadInput(
                name, f"a {type(value).__name__}", "text, a number, true, false or null", _TODO, field=key
            )
    return _checked(given, name), str(path.parent)


def _read(path: Path, name: str) -> dict[str, Scalar]:
    try:
        content = path.read_bytes()
    except OSError:
        raise BadInput(name, "no readable file", "a judge in YAML", f"Check the path. {_TODO}") from None
    if len(content) > _LARGEST:
        raise BadInput(name, f"{len(content):,} bytes", "a judge of at most 64 KiB", _TODO)
    try:
        given = load_yaml(name, content.decode())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise BadInput(
            name, "text that is not YAML", "valid YAML", _TODO, mark.line + 1 if mark else None
        ) from None
    check_yaml_size(name, given, "a judge")
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        held = "nothing" if given is None else f"a {type(given).__name__}"
        raise BadInput(name, held, "keys such as model, base_url, mode", _TODO)
    return dict(given)
