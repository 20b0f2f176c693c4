"""What a model's folder says about itself."""

from __future__ import annotations

import pytest

from dialeval.errors import BadInput
from dialeval.resources.huggingface import plain_name, read_settings


def test_settings_are_an_object_or_nothing(tmp_path):
    path = tmp_path / "config.json"
    assert read_settings(path) == {}
    path.write_text('{"layers": 2}')
    assert read_settings(path) == {"layers": 2}
    path.write_text("[1]")
    assert read_settings(path) == {}


def test_broken_settings_are_named(tmp_path):
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(BadInput, match=r"config\.json.*Download it again"):
        read_settings(tmp_path / "config.json")


def test_a_name_in_a_signature_holds_nothing_that_parts_it():
    assert plain_name("me/model|v=2 @main-1.5_b") == "me_model_v_2_@main-1.5_b"
