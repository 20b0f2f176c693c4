from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.catalogue import SYSTEMS
from dialeval.catalogue.building import build_system, keys_of, make_system
from dialeval.errors import BadInput, DialevalError, UnknownName
from dialeval.systems import Echo, HuggingFace, Retrieval, Transcript


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "chats.jsonl"
    turns = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    path.write_text(json.dumps({"id": "1", "messages": turns}) + "\n", encoding="utf-8")
    return path


def test_a_bare_kind_is_a_system_of_that_name() -> None:
    assert build_system("echo") == Echo("echo")


def test_keys_stand_in_brackets_and_paths_are_relative_to_the_folder(corpus: Path) -> None:
    built = build_system("retrieval(corpus='chats.jsonl', method='tfidf')", folder=corpus.parent)
    assert built == Retrieval("retrieval", corpus, "tfidf")


def test_a_file_of_responses_is_a_transcript_under_its_own_name(corpus: Path) -> None:
    assert build_system(str(corpus)) == Transcript("chats", corpus)


def test_a_folder_that_holds_no_model_says_what_it_should_hold(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none of generator\.json, nlg\.json and config\.json"):
        build_system(str(tmp_path))


def test_close_names_are_offered() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'retrieval'"):
        build_system("retreival")
    with pytest.raises(UnknownName, match="Did you mean 'smollm2-135m-instruct'"):
        build_system("smollm2-135m")


def test_every_wrong_key_is_named_at_once(corpus: Path) -> None:
    with pytest.raises(DialevalError) as caught:
        build_system(f"retrieval(corpus={str(corpus)!r}, methode='tfidf', method='cosine')")
    message = str(caught.value)
    assert "methode: unknown key for kind 'retrieval'; did you mean 'method'?" in message
    assert "method: found 'cosine'" in message


def test_what_a_kind_needs_and_does_not_get_is_named() -> None:
    assert make_system("retrieval", {"name": "r"}, folder=Path()) == [("corpus", "required")]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    made = make_system("random", {"name": "r", "corpus": "gone.jsonl"}, folder=tmp_path)
    assert made == [("corpus", f"no such file or folder: {tmp_path / 'gone.jsonl'}")]


def test_a_models_folder_is_relative_to_the_folder_too_and_a_hub_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "models" / "bot").mkdir(parents=True)

    def made(model: str) -> object:
        return make_system("huggingface", {"name": "m", "model": model}, folder=tmp_path)

    there = HuggingFace("m", str(tmp_path / "models" / "bot"))
    assert made("models/bot") == made("./models/bot") == made(there.model) == there
    assert made("./gone") == HuggingFace("m", str(tmp_path / "gone"))
    assert made("microsoft/DialoGPT-medium") == HuggingFace("m", "microsoft/DialoGPT-medium")
    (tmp_path / "smollm2-135m-instruct").mkdir()
    assert made("smollm2-135m-instruct") == HuggingFace("m")


def test_a_decoding_with_options_is_text_within_the_brackets() -> None:
    built = build_system("huggingface(decoding='beam(beams=3)')")
    assert isinstance(built, HuggingFace)
    assert (built.decoding.method, built.decoding.beams) == ("beam", 3)
    with pytest.raises(DialevalError, match=r"as in decoding='beam\(beams=10\)'"):
        build_system("huggingface(decoding={'method': 'beam', 'beams': 3})")


@pytest.mark.parametrize("kind", sorted(SYSTEMS))
def test_every_kind_takes_a_name(kind: str) -> None:
    assert "name" in keys_of(SYSTEMS[kind])
