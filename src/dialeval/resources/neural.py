"""The libraries of the extra ``neural``, which many rooms need and none of them imports before it must."""

from __future__ import annotations

import importlib.util
from typing import Final

from dialeval.errors import ResourceUnavailable

INSTALL: Final = "pip install torch transformers tokenizers safetensors accelerate gguf"


def require_torch(what: str, *others: str) -> None:
    """Refuse to go on where torch, or another library of the extra, is not installed."""
    missing = [name for name in ("torch", *others) if importlib.util.find_spec(name) is None]
    if missing:
        raise ResourceUnavailable(f"{what} need {' and '.join(missing)}, not installed. Run: {INSTALL}")
