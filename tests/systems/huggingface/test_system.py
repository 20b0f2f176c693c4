from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import TypeAdapter

from dialeval.core import Signature
from dialeval.errors import DialevalError
from dialeval.systems.decoding import Decoding
from dialeval.systems.huggingface import HuggingFace


def test_a_study_builds_it_from_its_keys():
    given = {
        "name": "small",
        "model": "smollm2-135m-instruct",
        "decoding": {"method": "beam", "beams": 10},
        "dtype": "bfloat16",
        "batch_size": 8,
        "prompt": "plain",
    }
    built = TypeAdapter(HuggingFace).validate_python(given)
    assert built == HuggingFace(
        "small", decoding=Decoding("beam", beams=10), dtype="bfloat16", batch_size=8, prompt="plain"
    )
    assert (
        TypeAdapter(HuggingFace).validate_python({"name": "a", "decoding": "beam"}).decoding.method == "beam"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"batch_size": 0}, "batch_size: found 0"),
        ({"max_context": -1}, "max_context: found -1"),
        ({"revision": "main"}, "has no revisions"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_loaded(more, said):
    with pytest.raises(DialevalError, match=said):
        HuggingFace("small", **more)


@pytest.mark.parametrize(("device", "said"), [("cuda:99", "is not available"), ("gpu", "no device 'gpu'")])
def test_a_device_that_is_not_here_is_said(folders, device, said):
    with pytest.raises(DialevalError, match=said):
        HuggingFace("tiny", model=str(folders["chat"]), device=device).generate([()])


def test_the_signature_says_all_that_moves_a_number_and_nothing_else(folders):
    tiny = HuggingFace("tiny", model=str(folders["chat"]))
    text = str(tiny.signature)
    assert Signature.parse(text) == tiny.signature
    assert "prompt=chat" in text
    assert f"model=chat:{tiny.resources['chat'][:12]}" in text
    same = [{"batch_size": 3}, {"prompt": "chat"}, {"device": "cpu"}]
    other = [
        {"dtype": "int8"},
        {"prompt": "plain"},
        {"score_end": False},
        {"system_prompt": "Be kind."},
        {"max_context": 9},
        {"decoding": Decoding(max_tokens=9)},
        {"model": str(folders["strict"])},
    ]
    given = {"model": str(folders["chat"])}
    assert {str(HuggingFace("tiny", **(given | more)).signature) for more in same} == {text}
    assert (
        len({str(HuggingFace("tiny", **(given | more)).signature) for more in other} | {text})
        == len(other) + 1
    )


def test_importing_it_brings_neither_torch_nor_transformers():
    code = "import sys, dialeval.systems.huggingface; print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
