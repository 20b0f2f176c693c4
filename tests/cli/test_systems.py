from __future__ import annotations

import json

import pytest

from dialeval.catalogue import SYSTEMS
from dialeval.errors import UnknownName
from dialeval.study.file import named_system
from dialeval.systems import Echo


def test_ls_tells_of_every_kind_in_80_columns(dialeval):
    done = dialeval("systems", "ls")
    assert done.code == 0
    assert all(f"{kind}: " in done.out for kind in SYSTEMS)
    assert max(map(len, done.out.splitlines())) <= 80


def test_ls_for_machines_has_keys_and_abilities(dialeval):
    found = json.loads(dialeval("systems", "ls", "--json").out)
    retrieval = next(kind for kind in found["kinds"] if kind["kind"] == "retrieval")
    assert retrieval["keys"][0] == {"key": "corpus", "needed": True, "default": None}
    assert retrieval["abilities"] == ["answer"]
    assert found["embedded"]["model"] == "smollm2-135m-instruct"


def test_a_system_of_a_study_is_named_by_the_study(tmp_path):
    (tmp_path / "data.jsonl").write_text('{"id": "1", "context": []}\n')
    study = tmp_path / "study.yaml"
    study.write_text("data: data.jsonl\nsystems:\n  - {name: parrot, kind: echo}\nmeasures: [length]\n")
    assert named_system(f"{study}:parrot") == Echo("parrot")
    with pytest.raises(UnknownName, match="Did you mean 'parrot'"):
        named_system(f"{study}:parot")
