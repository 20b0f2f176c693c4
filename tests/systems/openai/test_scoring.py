"""Likelihoods, from a server of ours after the documented formats, against numbers computed by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from dialeval.core import LikelihoodModel
from dialeval.data.types import Context, Turn
from dialeval.errors import RunFailed, Unsuitable
from dialeval.systems.openai import Layout, OpenAI
from support.documented_server import Bigrams, Row, documented_server

HI: Context = (Turn("user", "Hi."),)
ASK: Context = (Turn("user", "Tea?"), Turn("assistant", "No."), Turn("user", "Why {role}?"))
CHATML = Layout(turn="<|im_start|>{role}\n{text}<|im_end|>\n", cue="<|im_start|>assistant\n", lead="")
WAYS = [("completions", "echo"), ("completions", "prompt_logprobs"), ("chat", "prompt_logprobs")]
every_way = pytest.mark.parametrize(("api", "likelihood"), WAYS)


def by_hand(written: str, before: str) -> float:
    """Sum of log p(b | a) over the written bytes and marks, the first of which follows ``before``."""
    tokens = Bigrams().encode(before + written)
    weights = {a: sum(1 + (31 * a + 17 * b) % 7 for b in range(260)) for a in tokens}
    return sum(math.log((1 + (31 * a + 17 * b) % 7) / weights[a]) for a, b in itertools.pairwise(tokens))


def test_the_toys_numbers_are_those_of_its_formula() -> None:
    (row,) = Bigrams().after([97])
    # 31 * 97 = 3007 = 4 (mod 7) and 17 * 98 = 1666 = 0, so 'b' weighs 5 after 'a'. Of the 260 tokens 259 are 37 times
    # the weights 1 to 7, and the last, 17 * 259 = 0, weighs 5 again.
    assert row[98] == pytest.approx(math.log(5 / (37 * 28 + 5)))
    assert sum(map(math.exp, row)) == pytest.approx(1)


@every_way
@pytest.mark.parametrize("begin", [False, True], ids=["plain", "with a first mark"])
def test_log_probabilities_are_the_models_own(api: str, likelihood: str, begin: bool, tmp_path: Path) -> None:
    with documented_server(Bigrams(begin=begin)) as server:
        layout, end = CHATML, "<|im_end|>"
        system = OpenAI(
            "bot",
            server.url,
            "bigrams",
            api=api,
            likelihood=likelihood,
            layout=layout,
            end=end,
            cache=tmp_path,
        )
        assert isinstance(system, LikelihoodModel)
        responses = ["Yes.", "No, thanks. I'd rather drink café", ""]
        found = system.logprob([HI, ASK, ASK], responses)
        expected = [by_hand(text + end, "\n") for text in responses]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
        asked = server.received
        # The accented letter is two bytes; the mark at the end is a token.
        assert system.tokens(responses).tolist() == [5, len("No, thanks. I'd rather drink café") + 2, 1]
        assert server.received == asked


@pytest.mark.parametrize("likelihood", ["echo", "prompt_logprobs"])
def test_plain_text_prompts_score_the_lead_and_the_line_break(likelihood: str, tmp_path: Path) -> None:
    with documented_server() as server:
        system = OpenAI(
            "bot", server.url, "bigrams", api="completions", likelihood=likelihood, cache=tmp_path
        )
        found = system.logprob([ASK], ["Tea is hot."])
        assert found[0] == pytest.approx(by_hand(" Tea is hot.\n", ":"), abs=1e-9)
        prompts = {body["prompt"] for body in server.bodies}
        before = "user: Tea?\nassistant: No.\nuser: Why {role}?\nassistant:"
        assert prompts == {before, before + " Tea is hot.\n"}


@every_way
def test_candidates_share_their_context_and_nothing_is_asked_twice(
    api: str, likelihood: str, tmp_path: Path
) -> None:
    responses = ["Yes.", "No.", "Yes.", "Perhaps."]
    with documented_server() as server:
        system = OpenAI("bot", server.url, "bigrams", api=api, likelihood=likelihood, cache=tmp_path)
        found = system.logprob([HI] * 4, responses)
        assert found[0] == found[2]
        assert server.received == 4  # the context once, and three different responses
        np.testing.assert_array_equal(system.logprob([HI] * 4, responses), found)
        assert server.received == 4


def test_tokens_are_counted_even_where_nothing_was_scored_before(tmp_path: Path) -> None:
    with documented_server() as server:
        system = OpenAI(
            "bot", server.url, "bigrams", api="completions", likelihood="echo", end="", cache=tmp_path
        )
        assert system.tokens(["abc", "é"]).tolist() == [4, 3]  # the lead counts


def test_a_server_that_must_generate_is_let_generate_one_token(tmp_path: Path) -> None:
    with documented_server(least_tokens=1) as server:
        system = OpenAI("bot", server.url, "bigrams", api="completions", likelihood="echo", cache=tmp_path)
        found = system.logprob([HI], ["Yes."])
        assert found[0] == pytest.approx(by_hand(" Yes.\n", ":"), abs=1e-9)


def test_a_token_that_reaches_from_context_into_response_is_refused(tmp_path: Path) -> None:
    with documented_server(Bigrams(joined=": ")) as server:
        for likelihood in ("echo", "prompt_logprobs"):
            system = OpenAI(
                "bot", server.url, "bigrams", api="completions", likelihood=likelihood, cache=tmp_path
            )
            with pytest.raises(Unsuitable, match="does not keep context and response apart"):
                system.logprob([HI], ["Yes."])


def test_an_empty_response_without_an_end_has_no_score(tmp_path: Path) -> None:
    with documented_server() as server:
        system = OpenAI("bot", server.url, "bigrams", likelihood="prompt_logprobs", cache=tmp_path)
        with pytest.raises(Unsuitable, match="An empty response has no token to score"):
            system.logprob([HI], [""])
        assert server.received == 0


def test_wrong_model_names_are_answered_with_the_servers_words_cut_short(tmp_path: Path) -> None:
    with documented_server() as server:
        system = OpenAI("bot", server.url, "bigram", likelihood="prompt_logprobs", retries=3, cache=tmp_path)
        for ask in (lambda: system.generate([HI]), lambda: system.logprob([HI], ["Yes."])):
            with pytest.raises(RunFailed, match=r"HTTP 404\): The model `bigram` does not exist") as caught:
                ask()
            assert "Check 'model'" in str(caught.value)
            assert len(str(caught.value)) < 600 + len(str(tmp_path))
        assert server.received <= 3  # a refusal is not asked again


def test_contexts_and_responses_must_pair_up(tmp_path: Path) -> None:
    system = OpenAI("bot", "http://127.0.0.1:9/v1", "m", likelihood="prompt_logprobs", cache=tmp_path)
    with pytest.raises(ValueError, match="2 contexts and 1 responses"):
        system.logprob([HI, HI], ["Yes."])
    assert system.logprob([], []).shape == (0,)


class Recent(Bigrams):
    """Bigrams that also look at how many tokens came before."""

    def after(self, tokens: Sequence[int]) -> list[Row]:
        return [super(Recent, self).after([(token + at) % 256])[0] for at, token in enumerate(tokens)]


@every_way
def test_responses_to_one_context_are_scored_after_the_same_words(
    api: str, likelihood: str, tmp_path: Path
) -> None:
    responses = ["Yes.", "No, I would rather have some coffee, thank you."]
    with documented_server(Recent(), window=100) as server:
        settings = {"api": api, "likelihood": likelihood, "layout": CHATML, "end": "<|im_end|>"}
        system = OpenAI("bot", server.url, "bigrams", cache=tmp_path, **settings)
        with pytest.warns(UserWarning, match="bot: 1 of 2 contexts are longer .*oldest turns, 1 in all"):
            found = system.logprob([ASK, HI, ASK], [responses[0], "Hi.", responses[1]])
        expected = system.logprob([ASK[1:], HI, ASK[1:]], [responses[0], "Hi.", responses[1]])
        whole = system.logprob([ASK], responses[:1])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert abs(whole[0] - found[0]) > 1e-3  # alone, the short one has room for the whole context
