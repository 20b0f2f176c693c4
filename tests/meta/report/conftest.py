"""Folders as ``dialeval meta`` writes them, made by hand."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dialeval.meta.document import Document
from dialeval.meta.folder import read_meta
from support.made_meta import document

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def make_meta(tmp_path: Path) -> Callable[..., Path]:
    """Writes a folder from the document above, changed as asked, with thirteen points for each measure and system."""

    def make(change: Change = lambda _: None, *, points: int = 13) -> Path:
        folder = tmp_path / "meta"
        folder.mkdir(exist_ok=True)
        content = copy.deepcopy(document())
        change(content)
        (folder / "meta.json").write_text(json.dumps(content), encoding="utf-8")
        cells = [(m["measure"], m["system"]) for m in content["means"]]
        rows = [
            {"measure": m, "system": s, "item": f"d{at}", "human": 1.0 + at % 5, "value": 0.01 * at}
            for m, s in cells
            for at in range(points)
        ]
        pq.write_table(pa.Table.from_pylist(rows), folder / "points.parquet")
        return folder

    return make


@pytest.fixture
def made(make_meta: Callable[..., Path]) -> Callable[..., Document]:
    """The document of such a folder, read back."""

    def read(change: Change = lambda _: None) -> Document:
        return read_meta(make_meta(change))

    return read
