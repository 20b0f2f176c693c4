"""A system as a study writes it: its keys, their checks, its signature."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from dialeval.core import Signature
from dialeval.data.types import Turn
from dialeval.errors import BadStudy, DialevalError, Unsuitable
from dialeval.study import load_study, run_study
from dialeval.systems.decoding import Decoding
from dialeval.systems.openai import Budget, Layout, OpenAI
from dialeval.systems.openai.system import messages, shortened
from support.documented_server import documented_server

HERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def study(tmp_path: Path):
    """Load a study with these systems, in flow style."""
    prompts = [{"id": str(at), "context": [{"role": "user", "content": f"Hi {at}"}]} for at in range(3)]
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in prompts))

    def load(*lines: str):
        listed = "".join(f"  - {line}\n" for line in lines)
        (tmp_path / "study.yaml").write_text(f"data: prompts.jsonl\nmeasures: [length]\nsystems:\n{listed}")
        return load_study(tmp_path / "study.yaml")

    return load


def test_a_study_gives_all_its_keys(study) -> None:
    (system,) = study(
        f"{{name: new, kind: openai, base_url: '{HERE}', model: my-bot, api: completions, api_key_env: MY_KEY, "
        "revision: '2', decoding: {method: nucleus, top_p: 0.8, max_tokens: 30}, system_prompt: Be kind., "
        "layout: {turn: '<{role}>{text}', cue: '<bot>', lead: ''}, end: '<end>', likelihood: echo, logprobs: false, "
        "extra: {min_p: 0.0, max_tokens: null}, concurrency: 4, retries: 2, timeout: 30, backoff: 1, "
        "budget: {requests: 100, tokens: 5000}}"
    ).systems
    assert system == OpenAI(
        name="new",
        base_url=HERE,
        model="my-bot",
        revision="2",
        api="completions",
        api_key_env="MY_KEY",
        decoding=Decoding("nucleus", top_p=0.8, max_tokens=30),
        system_prompt="Be kind.",
        layout=Layout("<{role}>{text}", "<bot>", ""),
        end="<end>",
        likelihood="echo",
        logprobs=False,
        extra={"min_p": 0.0, "max_tokens": None},
        concurrency=4,
        retries=2,
        timeout=30.0,
        backoff=1.0,
        budget=Budget(100, 5000),
    )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("model: m", "base_url: required"),
        ("base_url: 'http://127.0.0.1:9', modle: m", "did you mean 'model'"),
        ("base_url: 'http://127.0.0.1:9', model: m, budget: {request: 5}", "budget.request"),
        ("base_url: 'http://127.0.0.1:9', model: m, layout: {turns: x}", "layout.turns"),
        ("base_url: 'http://127.0.0.1:9', model: m, api: talk", "api"),
        ("base_url: '127.0.0.1:9', model: m", "expected an address such as http://127.0.0.1:8000/v1"),
        ("base_url: 'http://127.0.0.1:9?k=1', model: m", "Leave out passwords"),
        ("base_url: 'http://127.0.0.1:9', model: m, decoding: beam", "'beam' is not part of the OpenAI API"),
        ("base_url: 'http://127.0.0.1:9', model: m, likelihood: echo", "Set 'api: completions'"),
        ("base_url: 'http://127.0.0.1:9', model: m, extra: {seed: 1}", "'extra' sets seed"),
        (
            "base_url: 'http://127.0.0.1:9', model: m, concurrency: 0",
            "'concurrency': found 0, expected at least 1",
        ),
    ],
)
def test_mistakes_are_named(study, keys: str, expected: str) -> None:
    with pytest.raises(BadStudy) as caught:
        study(f"{{name: new, kind: openai, {keys}}}")
    assert expected in str(caught.value)


def test_a_layout_needs_a_place_for_the_text_and_a_cue() -> None:
    with pytest.raises(DialevalError, match=r"expected a place for \{text\}"):
        Layout(turn="{role}: ")
    with pytest.raises(DialevalError, match="cue is empty"):
        Layout(cue="")


def test_one_server_that_is_down_does_not_stop_the_study(study, tmp_path: Path) -> None:
    with documented_server() as server:
        common = "kind: openai, model: bigrams, decoding: {max_tokens: 4}, retries: 0, cache: kept"
        run = run_study(
            study(
                f"{{name: down, base_url: '{HERE}', {common}}}",
                f"{{name: up, base_url: '{server.url}', {common}}}",
            )
        )
    (failure,) = [one for one in run.failures if one.measure is None]
    assert failure.system == "down"
    assert "cannot be reached" in failure.message
    assert {one.system: one.result.scored for one in run.scored}["up"] == 3


def test_the_signature_parses_back_and_holds_what_moves_answers_but_not_how_they_are_fetched() -> None:
    layout = Layout(turn="<|{role}|>\n{text}\n", cue="<|a|>\n")
    system = OpenAI("a", HERE, "m=1|2", api="completions", layout=layout, system_prompt="Say 'x' | \"y\"=z")
    assert Signature.parse(str(system.signature)) == system.signature
    patient = OpenAI(
        "b",
        HERE + "/",
        "m=1|2",
        api="completions",
        layout=layout,
        system_prompt="Say 'x' | \"y\"=z",
        api_key_env="K",
        concurrency=1,
        retries=9,
        timeout=1,
        backoff=2,
        budget=Budget(1),
        cache=Path("x"),
    )
    assert patient.signature == system.signature
    assert pickle.loads(pickle.dumps(system)) == system
    assert hash(system) != hash(patient)


def test_likelihood_by_echo_belongs_to_completions() -> None:
    with pytest.raises(Unsuitable, match="completions API only"):
        OpenAI("a", HERE, "m", likelihood="echo")


def test_importing_it_brings_no_http_library() -> None:
    code = "import sys, dialeval.systems.openai; print({'httpx2', 'asyncio', 'torch'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_key_where_the_name_of_its_variable_belongs_is_refused_and_not_shown() -> None:
    with pytest.raises(DialevalError, match="found no name of an environment variable") as caught:
        OpenAI("bot", HERE, "m", api_key_env="sk-0123456789abcdef")
    assert "sk-" not in str(caught.value)


TALK = (
    Turn("system", "Be kind."),
    Turn("user", "Hi {text}"),
    Turn("assistant", "{role}"),
    Turn("user", "Bye"),
)


def test_turns_are_filled_in_once_whatever_they_say() -> None:
    assert (
        Layout().write(TALK) == "system: Be kind.\nuser: Hi {text}\nassistant: {role}\nuser: Bye\nassistant:"
    )
    assert Layout().write(()) == "assistant:"


def test_messages_keep_roles_and_texts() -> None:
    assert messages(TALK[:2]) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi {text}"},
    ]
    with pytest.raises(Unsuitable, match="'Speaker 1'"):
        messages((Turn("Speaker 1", "Hi"),))


def test_the_oldest_spoken_turn_goes_first_and_instructions_stay() -> None:
    once = shortened(TALK)
    assert once == (TALK[0], TALK[2], TALK[3])
    assert once is not None
    twice = shortened(once)
    assert twice == (TALK[0], TALK[3])
    assert twice is not None
    assert shortened(twice) is None
    assert shortened(()) is None
