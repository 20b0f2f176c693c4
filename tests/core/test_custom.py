"""Objects of one's own classes carry their source, and can be sent to worker processes."""

from __future__ import annotations

import pickle

from dialeval.core.custom import with_source
from dialeval.files.custom_code import load_code


def test_objects_of_own_classes_survive_pickling(tmp_path):
    lines = [
        "from dataclasses import dataclass",
        "@dataclass(frozen=True, slots=True)",
        "class Scale:",
        "    factor: float = 2.0",
    ]
    (tmp_path / "mine.py").write_text("\n".join(lines))
    code = load_code("mine.py:Scale", tmp_path)
    scale = with_source(code, (("factor", 3.0),))(factor=3.0)
    again = pickle.loads(pickle.dumps(scale))
    assert again.factor == 3.0
    assert (
        str(again.signature)
        == str(scale.signature)
        == f"mine.py:Scale(factor=3.0)|source={code.source}|version=1"
    )
