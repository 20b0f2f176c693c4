"""transformers without its bars and notices."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def quiet_transformers() -> Iterator[Any]:
    """The library, silent; its settings are then as before."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield importlib.import_module("transformers")
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
