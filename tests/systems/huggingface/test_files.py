from __future__ import annotations

import shutil

import pytest
import torch

from dialeval.errors import ResourceUnavailable
from dialeval.systems.huggingface import HuggingFace
from dialeval.systems.huggingface.files import find_model


def test_a_folder_is_known_by_its_name_and_the_hash_of_its_files(folders, tmp_path):
    copy = shutil.copytree(folders["chat"], tmp_path / "copy")
    original, copied = (find_model(str(one), None, hub=False) for one in (folders["chat"], copy))
    assert original.sha256 == copied.sha256
    assert (original.name, copied.name) == ("chat", "copy")
    (copy / "tokenizer_config.json").write_text("{}")
    assert find_model(str(copy), None, hub=False).sha256 != original.sha256


@pytest.mark.parametrize(("name", "template"), [("chat", True), ("llama", False)])
def test_whether_there_is_a_template_is_read_from_the_files(folders, name, template):
    assert find_model(str(folders[name]), None, hub=False).has_template == template


def test_a_folder_without_weights_is_refused(folders, tmp_path):
    copy = shutil.copytree(folders["chat"], tmp_path / "copy")
    (copy / "model.safetensors").unlink()
    torch.save({}, copy / "pytorch_model.bin")
    with pytest.raises(
        ResourceUnavailable, match=r"no weights that we read.*only pytorch_model.bin.*unpickle nothing"
    ):
        HuggingFace("tiny", model=str(copy)).generate([()])


def test_a_folder_without_config_is_refused(tmp_path):
    with pytest.raises(ResourceUnavailable, match=r"no config\.json"):
        find_model(str(tmp_path), None, hub=False)


@pytest.mark.parametrize("path", ["./nowhere", "/nowhere/model", "a/b/c"])
def test_a_path_that_is_not_there_is_said(path):
    with pytest.raises(ResourceUnavailable, match=r"no folder .* to read a model from"):
        find_model(path, None, hub=False)


def test_a_hub_model_that_was_never_downloaded_is_not_fetched_unasked():
    with pytest.raises(ResourceUnavailable, match=r"no model of that name was downloaded.*hub: true"):
        find_model("nobody/no-such-model", "main", hub=False)


def test_weights_that_are_not_all_there_are_refused(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(folders["chat"], tmp_path / "copy")
    weights = load_file(copy / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        ResourceUnavailable, match=r"lacks 1 of its model's weights \(first: model\.layers\.1"
    ):
        HuggingFace("tiny", model=str(copy)).generate([()])


def test_what_is_no_model_is_said_in_one_line(folders, tmp_path):
    copy = shutil.copytree(folders["chat"], tmp_path / "copy")
    (copy / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ResourceUnavailable, match="No language model could be loaded") as caught:
        HuggingFace("tiny", model=str(copy)).generate([()])
    assert "\n" not in str(caught.value)
