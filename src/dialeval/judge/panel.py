"""Panels: judges on servers of their own, or here, that judge the same items; a YAML file lists them."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from dialeval.errors import BadInput
from dialeval.files.folders import with_home
from dialeval.files.foreign import check_yaml_size, load_yaml
from dialeval.files.problems import places

_LARGEST: Final = 2**16
_TODO: Final = "List the judges, each with its model and base_url, as 'dialeval docs judge' shows."


class Member(BaseModel):
    """One judge of a panel."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Annotated[str, Field(min_length=1, pattern=r"^[^,]*[^,\s][^,]*$")]
    """The server's name of the model; without ``base_url`` a Hugging Face model."""
    base_url: Annotated[str, Field(min_length=1)] | None = None
    api_key_env: Annotated[str, Field(min_length=1)] | None = None
    revision: str | None = None
    price_input: Annotated[float, Field(ge=0)] | None = None
    price_output: Annotated[float, Field(ge=0)] | None = None


_MEMBERS: Final = TypeAdapter(Annotated[list[Member], Field(min_length=2, max_length=20)])


def load_panel(name: str, folder: Path = Path()) -> tuple[Member, ...]:
    """The judges in a YAML file below ``folder``; BadInput says what is wrong with it, and where."""
    path = folder / with_home(name)
    if not path.is_file():
        raise BadInput(name, "no such file", "a list of judges in YAML", "Check the path of 'judges'.")
    return read_panel(path.read_bytes(), name)


@lru_cache(maxsize=32)  # it is asked for once per item
def read_panel(content: bytes, path: str) -> tuple[Member, ...]:
    """The judges that a YAML file at this path holds."""
    if len(content) > _LARGEST:
        raise BadInput(path, f"{len(content):,} bytes", "a list of at most 64 KiB", _TODO)
    try:
        given = load_yaml(path, content.decode())
    except UnicodeDecodeError:
        raise BadInput(path, "bytes that are not UTF-8", "UTF-8 text", "Convert the file.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        raise BadInput(path, "text that is not YAML", "valid YAML", _TODO, line) from None
    check_yaml_size(path, given, "a list of judges")
    try:
        members = tuple(_MEMBERS.validate_python(given))
    except ValidationError as error:
        place = places(error.errors(), given)[0]
        told = place.error
        if told["type"] == "extra_forbidden":
            found, expected = f"the key {place.steps[-1]!r}", f"one of {', '.join(Member.model_fields)}"
        elif told["type"] == "missing":
            found, expected = "nothing", "a value"
        elif told["type"] in ("too_short", "list_type"):
            found, expected = _described(given), "two judges or more"
        else:
            found, expected = f"{str(told['input'])[:80]!r}", place.expected
        raise BadInput(path, found, expected, _TODO, field=place.path or None) from None
    names = [member.model for member in members]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        todo = "Judges are told apart by the names of their models; name each once."
        raise BadInput(path, f"{twice!r} twice", "different models", todo)
    return members


def _described(given: object) -> str:
    return f"{len(given)} judge(s)" if isinstance(given, list) else "no list"


def digest_of(members: tuple[Member, ...]) -> str:
    """Digest of all that can move the verdicts: models, addresses and revisions."""
    content = [[one.model, one.base_url, one.revision] for one in members]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
