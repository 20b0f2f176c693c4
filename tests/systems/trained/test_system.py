from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from dialeval.catalogue.building import build_system
from dialeval.core import Generator, LikelihoodModel
from dialeval.data.types import Turn
from dialeval.errors import BadInput, DialevalError, ResourceUnavailable, Unsuitable
from dialeval.systems.decoding import Decoding
from dialeval.systems.trained import Trained
from dialeval.systems.trained.trainer import train
from support.small_generators import config, made_lessons, made_split, said

CONTEXTS = [said("I am at the sea.", "Do you want soup?"), (), said("Hi."), said("tea " * 500)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("generator")
    train(made_split(), config("transformer", epochs=6), path)
    return path


def test_it_is_a_generator_and_a_likelihood_model(folder: Path) -> None:
    system = Trained("own", folder)
    assert isinstance(system, Generator)
    assert isinstance(system, LikelihoodModel)
    assert [name.split("/")[1] for name in system.resources] == [
        "generator.json",
        "model.safetensors",
        "tokenizer.json",
    ]
    assert str(system.signature).startswith("trained|architecture=transformer|weights=")
    assert "decoding=greedy(max_tokens:40,min_tokens:1)" in str(system.signature)


def test_a_folder_is_a_system_by_itself(folder: Path) -> None:
    assert build_system(str(folder)) == Trained(folder.name, folder)


@pytest.mark.parametrize("method", ["greedy", "beam", "nucleus"])
def test_company_changes_no_response(folder: Path, method) -> None:
    contexts = [lesson.context for lesson in made_lessons()[:5]] + CONTEXTS[1:]
    decoding = Decoding(method, max_tokens=8)
    together = Trained("own", folder, decoding).generate(contexts, n=3, seed=4)
    alone = [
        Trained("own", folder, decoding, batch_size=1).generate([one], n=3, seed=4)[0] for one in contexts
    ]
    assert [[one.text for one in found] for found in together] == [
        [one.text for one in found] for found in alone
    ]
    for ours, theirs in zip(together, alone, strict=True):
        assert [one.logprob for one in ours] == pytest.approx([one.logprob for one in theirs], abs=1e-4)
    assert {len(found) for found in together} == {1 if method == "greedy" else 3}


def test_the_seed_moves_samples_alone(folder: Path) -> None:
    sampled = Trained("own", folder, Decoding("sample", max_tokens=8))
    assert sampled.generate(CONTEXTS, seed=1) == sampled.generate(CONTEXTS, seed=1)
    assert sampled.generate(CONTEXTS, seed=1) != sampled.generate(CONTEXTS, seed=2)
    greedy = Trained("own", folder)
    assert greedy.generate(CONTEXTS, seed=1) == greedy.generate(CONTEXTS, seed=2)


def test_candidates_of_a_context_score_as_they_do_alone(folder: Path) -> None:
    system = Trained("own", folder)
    texts = ["soup at the sea, please!", "", "tea", "rice at home and much more of it, thank you"]
    pairs = [(context, text) for text in texts for context in CONTEXTS]
    together = system.logprob([context for context, _ in pairs], [text for _, text in pairs])
    alone = [Trained("own", folder, batch_size=1).logprob([context], [text])[0] for context, text in pairs]
    assert together.tolist() == pytest.approx(alone, abs=1e-4)
    assert (together < 0).all()
    assert system.tokens(["", "soup"]).tolist()[0] == 1


def test_nothing_in_nothing_out(folder: Path) -> None:
    system = Trained("own", folder)
    assert system.generate([]) == []
    assert system.generate([said("Hi.")], n=0) == [()]
    assert system.logprob([], []).shape == (0,)
    with pytest.raises(Unsuitable, match="1 contexts and 2 responses"):
        system.logprob([said("Hi.")], ["a", "b"])


def test_long_contexts_are_cut_on_the_left_and_counted(folder: Path, caplog) -> None:
    system = Trained("own", folder)
    long = (*said("one", "two", "three"), Turn("user", "tea " * 500))
    assert system.dropped([long, said("Hi."), said("a", "b", "c", "d")]).tolist() == [3, 0, 1]
    with caplog.at_level(logging.WARNING):
        system.generate([long, said("Hi.")])
    assert "own: 1 of 2 contexts are longer than the 128 tokens it reads" in caplog.text
    kept = (Turn("user", "tea " * 500),)
    assert system.logprob([long], ["x"]) == pytest.approx(system.logprob([kept], ["x"]))


def test_who_speaks_does_not_matter_and_system_prompts_are_left_out(folder: Path) -> None:
    system = Trained("own", folder)
    strange = (Turn("system", "Be kind."), Turn("pirate", "Hi."))
    assert system.generate([strange])[0][0].text == system.generate([said("Hi.")])[0][0].text


def test_a_folder_without_a_generator_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ResourceUnavailable, match=r"lacks generator.json, model.safetensors, tokenizer.json"):
        Trained("own", tmp_path).generate([said("Hi.")])
    (tmp_path / "checkpoint.safetensors").touch()
    with pytest.raises(ResourceUnavailable, match="Its training has not ended"):
        _ = Trained("own", tmp_path).resources
    with pytest.raises(DialevalError, match="batch_size: found 0"):
        Trained("own", tmp_path, batch_size=0)


def test_files_that_do_not_fit_together_are_explained(folder: Path, tmp_path: Path) -> None:
    for name in ("generator.json", "model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    marker = tmp_path / "generator.json"
    marker.write_text(marker.read_text().replace('"embedding": 16', '"embedding": 32'))
    with pytest.raises(BadInput, match=r"expected the weights that generator.json describes"):
        Trained("own", tmp_path).generate([said("Hi.")])
    marker.write_text('{"model": "other", "format": 1}')
    with pytest.raises(BadInput, match=r"model 'other' of format 1"):
        _ = Trained("own", tmp_path).signature


def test_other_weights_in_the_same_folder_are_another_system(folder: Path, tmp_path: Path) -> None:
    train(made_split(), config("gru", epochs=1), tmp_path)
    before = Trained("own", tmp_path).signature, Trained("own", tmp_path).logprob([said("Hi.")], ["tea"])
    train(made_split(), config("gru", epochs=3), tmp_path)
    after = Trained("own", tmp_path).signature, Trained("own", tmp_path).logprob([said("Hi.")], ["tea"])
    assert before[0] != after[0]
    assert before[1] != pytest.approx(after[1])


def test_naming_the_system_brings_no_torch(folder: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from dialeval.systems.trained import Trained\n"
        f"print(Trained('own', Path({str(folder)!r})).signature.name, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "trained False\n"
