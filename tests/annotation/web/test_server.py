"""The server of the pages, as part of a process that does other things too."""

from __future__ import annotations

import logging
from pathlib import Path

from fastapi import FastAPI

from dialeval.annotation.web.server import in_background


def test_what_a_process_logs_to_stays_open(tmp_path: Path) -> None:
    handler = logging.FileHandler(tmp_path / "log.txt")
    with in_background(FastAPI()):
        pass
    assert handler.stream is not None
    assert not handler.stream.closed
    handler.close()
