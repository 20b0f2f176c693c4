"""Likelihoods over HTTP against the same model here: the embedded one, behind a server of ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dialeval.data.types import Context, Turn
from dialeval.errors import ResourceUnavailable
from dialeval.systems.openai import Layout, OpenAI
from support.documented_server import DocumentedServer, documented_server
from support.served_model import ServedModel, log_probability

pytestmark = pytest.mark.slow

MODEL = "smollm2-135m-instruct"
END = "<|im_end|>"
LAYOUT = Layout(turn="<|im_start|>{role}\n{text}<|im_end|>\n", cue="<|im_start|>assistant\n", lead="")
WAYS = [("completions", "echo"), ("completions", "prompt_logprobs"), ("chat", "prompt_logprobs")]
CONTEXT: Context = (
    Turn("system", "You are a friendly waiter."),
    Turn("user", "Do you have any tea?"),
    Turn("assistant", "We have green tea and black tea."),
    Turn("user", "I would like the green one, please."),
)
RESPONSES = ["Of course!", "The train leaves at noon.", "Naturellement, café crème – 抹茶もあります。", ""]


@pytest.fixture(scope="module")
def server() -> Iterator[DocumentedServer]:
    pytest.importorskip(
        "transformers", reason="the package transformers, which runs the model, is not installed"
    )
    from dialeval.systems.huggingface.files import embedded_folder

    try:
        folder = embedded_folder()
    except ResourceUnavailable as error:
        pytest.skip(str(error))
    with documented_server(ServedModel(folder, MODEL)) as running:
        yield running


@pytest.mark.parametrize(("api", "likelihood"), WAYS)
def test_numbers_equal_the_local_models(
    server: DocumentedServer, api: str, likelihood: str, tmp_path: Path
) -> None:
    system = OpenAI(
        "bot", server.url, MODEL, api=api, likelihood=likelihood, layout=LAYOUT, end=END, cache=tmp_path
    )
    served = server.model
    assert isinstance(served, ServedModel)
    before = LAYOUT.write(CONTEXT)
    expected = [log_probability(served, before, response + END) for response in RESPONSES]
    found = system.logprob([CONTEXT] * len(RESPONSES), RESPONSES)
    np.testing.assert_allclose(found, [logprob for logprob, _ in expected], rtol=1e-5, atol=1e-4)
    assert system.tokens(RESPONSES).tolist() == [count for _, count in expected]
    assert found[0] > found[1]
    # A blank would be joined with the line break before it.
    assert system.logprob([CONTEXT], ["  Of course!"])[0] == found[0]


def test_the_kind_huggingface_gives_the_same_numbers(server: DocumentedServer, tmp_path: Path) -> None:
    from dialeval.systems.huggingface import HuggingFace

    contexts = [CONTEXT, CONTEXT, CONTEXT[:2]]
    over_http = OpenAI("a", server.url, MODEL, likelihood="prompt_logprobs", end=END, cache=tmp_path)
    here = HuggingFace("b", MODEL)
    np.testing.assert_allclose(
        over_http.logprob(contexts, RESPONSES[:3]),
        here.logprob(contexts, RESPONSES[:3]),
        rtol=1e-5,
        atol=1e-4,
    )
    assert over_http.tokens(RESPONSES).tolist() == here.tokens(RESPONSES).tolist()
