"""What the folder of a Hugging Face model says about itself."""

from __future__ import annotations

import json
from pathlib import Path

from dialeval.errors import BadInput


def read_settings(path: Path) -> dict[str, object]:
    """The JSON object in a file of settings; empty where there is no file or no object."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadInput(str(path), f"no JSON ({error})", "the settings of a model", "Get it anew.") from None
    return found if isinstance(found, dict) else {}


def plain_name(name: str) -> str:
    """The model's name as a signature can hold it: no bars, no equals signs, and no slashes, which are hard to read."""
    return "".join(char if char.isalnum() or char in "._-@" else "_" for char in name)
