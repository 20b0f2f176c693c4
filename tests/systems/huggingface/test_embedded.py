"""The real embedded model, SmolLM2-135M-Instruct."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from dialeval.data import read
from dialeval.data.types import alternating
from dialeval.resources import check
from dialeval.systems.decoding import Decoding
from dialeval.systems.huggingface import HuggingFace
from dialeval.systems.huggingface.files import embedded_folder, is_whole

pytestmark = pytest.mark.slow

CONTEXTS = [
    alternating(["What is the capital of France?"]),
    alternating(["Hello!", "Hi, can I help you?", "Yes, please. Where is the station?"]),
    alternating(["I lost my job today."]),
]


def test_it_is_converted_once_and_found_again(embedded, tmp_path, caplog):
    folder = embedded_folder(tmp_path)
    assert "happens once" in caplog.text
    caplog.clear()
    assert embedded_folder(tmp_path) == folder
    assert not caplog.text
    assert sorted(path.suffix for path in tmp_path.iterdir()) == ["", ".lock"]
    # A file that was cut short is noticed.
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(1000)
    assert not is_whole(folder)


def test_its_hash_is_checked_by_resources_verify(embedded):
    assert check(embedded).state == "verified"
    assert HuggingFace("small").resources[embedded] == check(embedded).resource.sha256


def test_greedy_and_beam_search_say_what_transformers_says(embedded):
    for decoding, flags in [
        (Decoding(max_tokens=16), {"num_beams": 1}),
        (Decoding("beam", beams=4, max_tokens=16), {"num_beams": 4, "length_penalty": 1.0}),
    ]:
        small = HuggingFace("small", decoding=decoding)
        loaded = small._load()
        for context, (ours, *_) in zip(CONTEXTS, small.generate(CONTEXTS), strict=True):
            prefix = torch.tensor([loaded.prompt_format.prompt(context, 999).tokens])
            out = loaded.model.model.generate(
                prefix,
                attention_mask=torch.ones_like(prefix),
                do_sample=False,
                max_new_tokens=16,
                min_new_tokens=1,
                **flags,
            )
            assert ours.text == loaded.prompt_format.text(out[0, prefix.shape[1] :].tolist())


def test_it_knows_the_capital_of_france(embedded):
    assert "Paris" in HuggingFace("small").generate(CONTEXTS[:1])[0][0].text


def test_shared_contexts_score_as_pairs_alone_do(embedded, shared_data):
    questions = read(shared_data / "dailydialog-plusplus" / "dev.json", "question", format="dailydialog++")
    asked = [next(questions) for _ in range(4)]
    pairs = [
        (question.context, candidate.text) for question in asked for candidate in question.candidates[::4]
    ]
    small = HuggingFace("small")
    together = small.logprob([context for context, _ in pairs], [text for _, text in pairs])
    alone = np.concatenate([small.logprob([context], [text]) for context, text in pairs])
    assert np.abs(together - alone).max() < 1e-4
    loaded = small._load()
    for (context, text), found in zip(pairs[:4], together, strict=False):
        prefix = loaded.prompt_format.prompt(context, 9999).tokens
        response = (*loaded.prompt_format.response(text), loaded.end)
        labels = torch.tensor([[-100] * len(prefix) + list(response)])
        loss = loaded.model.model(input_ids=torch.tensor([prefix + response]), labels=labels).loss.item()
        # The loss adds up a vocabulary of 49,152 in 32 bits, which is where they differ.
        assert found / len(response) == pytest.approx(-loss, abs=1e-4)


def test_samples_do_not_depend_on_company(embedded):
    small = HuggingFace("small", decoding=Decoding("nucleus", max_tokens=12))
    together = small.generate(CONTEXTS, n=2, seed=3)
    alone = [small.generate([context], n=2, seed=3)[0] for context in reversed(CONTEXTS)][::-1]
    assert [[one.text for one in found] for found in together] == [
        [one.text for one in found] for found in alone
    ]


def test_8_bits_keep_the_answer(embedded):
    assert "Paris" in HuggingFace("small", dtype="int8").generate(CONTEXTS[:1])[0][0].text


def test_a_second_process_loads_it_without_converting(embedded):
    HuggingFace("small")._load()
    code = "from dialeval.systems.huggingface import HuggingFace; HuggingFace('small')._load()"
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stderr) == (0, "")
