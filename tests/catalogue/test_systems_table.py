"""What every kind of system in the table promises, asked of each by name."""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from dialeval.catalogue import SYSTEMS
from dialeval.catalogue.building import inputs_of
from dialeval.core import Generator, Replayer, Signature, System
from dialeval.data.types import Prompt, Response, Turn
from dialeval.systems.decoding import Decoding
from support.paths import DOCS

DIALOGUES = [
    ["Hello there!", "Hi, how are you?", "Fine, thanks. Do you like tea?", "I love green tea."],
    ["Do you like coffee?", "Only in the morning.", "How do you take it?", "Black, no sugar."],
    ["Where do you live?", "In Leeds.", "Do you like living there?", "I do, the people are kind."],
]
PROMPTS = [
    Prompt("p1", (Turn("user", "Do you like green tea?"),)),
    Prompt("p2", (Turn("user", "Hi!"), Turn("assistant", "Hello."), Turn("user", "Where are you from?"))),
    Prompt("p3", ()),
    Prompt("p4", (Turn("user", "How are you?"),)),
    Prompt("p5", (Turn("user", "Zzz"),)),
    Prompt("p6", (Turn("user", "inform(name='kiss seafood';food=thai)", "act"),)),
]


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny language model in Hugging Face's layout."""
    pytest.importorskip("transformers")
    import torch

    from support.tiny_models import CHAT, llama, save, tokenizer

    torch.manual_seed(7)
    return save(tmp_path_factory.mktemp("model"), llama(tokenizer()), tokenizer(CHAT))


@pytest.fixture(scope="session")
def generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny generator of ours."""
    pytest.importorskip("torch")
    from dialeval.systems.trained.trainer import train
    from support.small_generators import config, made_split

    folder = tmp_path_factory.mktemp("generator")
    train(made_split(), config("gru"), folder)
    return folder


@pytest.fixture(scope="session")
def act_generator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny generator of sentences from acts."""
    pytest.importorskip("torch")
    from dialeval.nlg.generators.trainer import train
    from support.small_nlg import config, made_split

    folder = tmp_path_factory.mktemp("act-generator")
    train(made_split(), config("hld-sclstm"), folder)
    return folder


@pytest.fixture(scope="session")
def served() -> Iterator[str]:
    """The address of a server with a model of two letters."""
    pytest.importorskip("httpx2")
    from support.documented_server import documented_server

    with documented_server() as server:
        yield server.url


@pytest.fixture
def build(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[str], System]:
    corpus = tmp_path / "dialogues.jsonl"
    write_dialogues(corpus, DIALOGUES)
    transcript = tmp_path / "nbest.jsonl"
    with transcript.open("w", encoding="utf-8") as file:
        for prompt in PROMPTS[:4]:
            responses = [{"text": f"first to {prompt.item}"}, {"text": f"second to {prompt.item}"}]
            record = {"id": prompt.item, "system": "bot", "context": [], "responses": responses}
            file.write(json.dumps(record) + "\n")
    short = Decoding("nucleus", max_tokens=6)
    given: dict[str, Callable[[], dict[str, object]]] = {
        "echo": dict,
        "filtered": lambda: {"system": SYSTEMS["random"](name="mine", corpus=corpus)},
        "gold": dict,
        "huggingface": lambda: {"model": str(request.getfixturevalue("weights")), "decoding": short},
        "nlg": lambda: {"path": request.getfixturevalue("act_generator")},
        "openai": lambda: {
            "base_url": request.getfixturevalue("served"),
            "model": "bigrams",
            "decoding": short,
            "cache": tmp_path / "answers",
        },
        "random": lambda: {"corpus": corpus},
        "retrieval": lambda: {"corpus": corpus},
        "trained": lambda: {"path": request.getfixturevalue("generator"), "decoding": short},
        "transcript": lambda: {"path": transcript},
    }
    return lambda kind: SYSTEMS[kind](name="mine", **given[kind]())


def write_dialogues(path: Path, dialogues: Sequence[Sequence[str]]) -> None:
    roles = ("user", "assistant")
    with path.open("w", encoding="utf-8") as file:
        for number, turns in enumerate(dialogues):
            messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(turns)]
            file.write(json.dumps({"id": f"d{number}", "messages": messages}) + "\n")


def answer(
    system: System, prompts: Sequence[Prompt], *, n: int = 1, seed: int = 0
) -> list[tuple[Response, ...]]:
    if isinstance(system, Replayer):
        return system.replay(prompts)
    assert isinstance(system, Generator)
    return system.generate([prompt.context for prompt in prompts], n=n, seed=seed)


SAMPLING = ("huggingface", "openai", "trained")


def same(one: list[tuple[Response, ...]], other: list[tuple[Response, ...]]) -> bool:
    """Whether texts are equal, and log-probabilities but for the rounding of sums in another order."""
    flat, rest = ([r for answers in side for r in answers] for side in (one, other))
    return [[r.text for r in answers] for answers in one] == [
        [r.text for r in answers] for answers in other
    ] and [r.logprob for r in flat] == [pytest.approx(r.logprob, abs=1e-4) for r in rest]


every_kind = pytest.mark.parametrize("kind", SYSTEMS)


@every_kind
def test_a_system_generates_or_replays(kind: str, build: Callable[[str], System]) -> None:
    system = build(kind)
    assert isinstance(system, Generator) != isinstance(system, Replayer)
    assert system.name == "mine"


@every_kind
@pytest.mark.parametrize("cut", [0, 1, 3])
def test_batching_and_order_change_nothing(kind: str, cut: int, build: Callable[[str], System]) -> None:
    system = build(kind)
    whole = answer(system, PROMPTS, n=2)
    assert len(whole) == len(PROMPTS)
    assert same(answer(system, PROMPTS[:cut], n=2) + answer(system, PROMPTS[cut:], n=2), whole)
    assert same(answer(system, PROMPTS[::-1], n=2), whole[::-1])


@every_kind
def test_the_same_seed_gives_the_same_answers(kind: str, build: Callable[[str], System]) -> None:
    assert answer(build(kind), PROMPTS, n=2, seed=3) == answer(build(kind), PROMPTS, n=2, seed=3)


@pytest.mark.parametrize("kind", [kind for kind, maker in SYSTEMS.items() if hasattr(maker, "generate")])
@pytest.mark.parametrize("n", [0, 1, 2, 50])
def test_at_most_n_different_answers_and_more_only_at_the_end(
    kind: str, n: int, build: Callable[[str], System]
) -> None:
    system = build(kind)
    for few, many in zip(answer(system, PROMPTS, n=n), answer(system, PROMPTS, n=n + 1), strict=True):
        assert len(few) <= n
        if kind in SAMPLING:  # samples may repeat, and another one may turn out to be the best
            assert not {r.text for r in few} - {r.text for r in many}
        else:
            assert len(set(few)) == len(few)
            assert many[: len(few)] == few


@every_kind
def test_an_empty_context_is_no_error(kind: str, build: Callable[[str], System]) -> None:
    (answers,) = answer(build(kind), [Prompt("p3", ())])
    assert bool(answers) == (kind not in ("echo", "retrieval", "gold"))


@every_kind
def test_nothing_asked_is_nothing_answered(kind: str, build: Callable[[str], System]) -> None:
    assert answer(build(kind), []) == []


@every_kind
def test_the_signature_prints_and_parses_and_leaves_out_the_name(
    kind: str, build: Callable[[str], System]
) -> None:
    system = build(kind)
    assert system.signature.name == kind
    assert Signature.parse(str(system.signature)) == system.signature
    renamed = dataclasses.replace(system, name="other")  # type: ignore[type-var]
    assert renamed.signature == system.signature


@every_kind
def test_the_signature_follows_the_content_of_files(kind: str, build: Callable[[str], System]) -> None:
    system = build(kind)
    for _, path in inputs_of(system):
        if path.is_dir():
            continue
        before = system.signature
        path.write_bytes(path.read_bytes() + b"\n")
        assert system.signature != before


@every_kind
def test_systems_are_values_that_travel_to_other_processes(kind: str, build: Callable[[str], System]) -> None:
    system = build(kind)
    before = answer(system, PROMPTS)
    copy = pickle.loads(pickle.dumps(system))
    assert copy == system
    assert answer(copy, PROMPTS) == before


@every_kind
def test_the_fields_are_what_a_study_can_write(kind: str) -> None:
    pydantic = pytest.importorskip("pydantic")
    given = {
        "name": "mine",
        "corpus": "c.jsonl",
        "path": "t.jsonl",
        "model": "m",
        "base_url": "http://127.0.0.1:1/v1",
        "system": "echo",
    }
    names = [field.name for field in dataclasses.fields(SYSTEMS[kind])]  # type: ignore[arg-type]
    assert names[0] == "name"
    system = pydantic.TypeAdapter(SYSTEMS[kind]).validate_python(
        {key: given[key] for key in names if key in given}
    )
    assert system.name == "mine"


@every_kind
def test_every_kind_is_documented(kind: str) -> None:
    docs = DOCS
    page = (docs / "systems.md").read_text(encoding="utf-8")
    assert f"`{kind}`" in page
    own = {
        "huggingface": "huggingface.md",
        "nlg": "nlg-generators.md",
        "openai": "openai.md",
        "trained": "generators.md",
    }
    page += (docs / own[kind]).read_text(encoding="utf-8") if kind in own else ""
    for field in dataclasses.fields(SYSTEMS[kind]):  # type: ignore[arg-type]
        if field.name == "rule":  # set by the study from `cache`, and no key
            continue
        assert f"`{field.name}`" in page, f"docs say nothing of {kind}'s {field.name}"


def test_the_table_is_sorted() -> None:
    assert list(SYSTEMS) == sorted(SYSTEMS)
