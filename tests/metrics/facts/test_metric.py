"""Facts: what responses keep of their references, counted by hand and on pairs that we labelled."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.catalogue import build
from dialeval.core import Result
from dialeval.data.types import Example, Response, Turn
from dialeval.evaluation.compare import compare
from dialeval.evaluation.runner import evaluate
from dialeval.metrics.facts.metric import Facts, Finding, match_facts, read_facts

HERE = Path(__file__).parent
HOURS = "We open at 9 am and close at 5 pm on Sundays."


def example(response: str, *references: str, item: str = "1", system: str = "bot") -> Example:
    return Example(item, system, (), Response(response), references)


def share(response: str, *references: str) -> float:
    return float(Facts().statistics([example(response, *references)])[0, 0])


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("response", "references", "expected"),
    [
        (HOURS, [HOURS], 1.0),
        ("On Sunday it is 9:00 to 17:00.", [HOURS], 1.0),
        ("We open at 9 am and close at 6 pm on Sundays.", [HOURS], 2 / 3),  # one of three is another time
        ("We open at 9 am.", [HOURS], 1 / 3),
        ("", [HOURS], 0.0),
        ("Come by any time.", [HOURS], 0.0),
        ("It is $5.", ["It is $7.", "It is $5 today."], 1.0),  # the best reference counts
        ("It is $5 in Rome.", ["It is $5 in Rome for 2 people.", "It is $7 in Rome."], 2 / 3),
    ],
)
def test_shares_by_hand(response: str, references: Sequence[str], expected: float) -> None:
    assert share(response, *references) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,200 points", "1200 points"),
        ("1,200 points", "1.2k points"),
        ("twelve seats", "12 seats"),
        ("$5", "5 dollars"),
        ("$5", "USD 5"),
        ("$5", "5.00 dollars"),
        ("5 dollars and 50 cents", "$5.50"),
        ("€12,50", "12.50 euros"),
        ("5 pm", "17:00"),
        ("noon", "12:00 pm"),
        ("3 March 2024", "2024-03-03"),
        ("3 March 2024", "March 3rd"),
        ("3 March 2024", "03.03.2024"),
        ("twenty-first of May", "21 May"),
        ("50%", "50 percent"),
        ("50%", "half"),
        ("14 days", "two weeks"),
        ("90 minutes", "1 hour and 30 minutes"),
        ("30 minutes", "half an hour"),
        ("2 years", "24 months"),
        ("5-7 days", "five to seven days"),
        ("2,500 g", "2.5 kg"),
        ("30 days", "３０ days"),
        ("30 days", "٣٠ days"),
        ("2.5 million people", "2,500,000 people"),
    ],
)
def test_spellings_of_one_value_are_the_same_fact(one: str, other: str) -> None:
    assert share(f"That would be {other} then.", f"That would be {one} then.") == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 days", "14 days"),
        ("30 days", "30 hours"),
        ("$5", "£5"),
        ("5 pm", "5 am"),
        ("3 March", "3 May"),
        ("3 March 2024", "3 March 2025"),
        ("20%", "25%"),
        ("5-7 days", "5-8 days"),
        ("12345678901234567890", "12345678901234567891"),
    ],
)
def test_another_value_of_the_same_kind_is_a_contradiction(one: str, other: str) -> None:
    findings = match_facts(
        read_facts(f"That would be {one} then."), read_facts(f"That would be {other} then.")
    )
    assert "contradicted" in {finding.outcome for finding in findings}


def _lost(record: dict[str, object]) -> list[Finding]:
    findings = Facts().findings(example(str(record["response"]), str(record["reference"])))
    return [finding for finding in findings if finding.outcome in ("missing", "contradicted")]


def _alike(label: str, found: str) -> bool:
    one, other = label.lower(), found.lower()
    return (
        one in other or other in one or bool(set(one.split()) & set(other.split()) - {"the", "a", "is", "to"})
    )


def _right(record: dict[str, object]) -> bool:
    """Whether what is lost is what the label says: each of its facts, and no other."""
    reason = Facts().unscorable(example(str(record["response"]), str(record["reference"])))
    if record.get("unscored") or reason is not None:
        return bool(record.get("unscored")) == (reason is not None)
    labels, lost = list(map(str, record["lost"])), _lost(record)  # type: ignore[call-overload]
    found = all(any(_alike(label, finding.text) for finding in lost) for label in labels)
    return found and all(any(_alike(label, finding.text) for label in labels) for finding in lost)


def test_pairs_that_we_labelled_before_the_rules_were_written() -> None:
    """103 of 106 were right on the first run; the rules were then corrected on these."""
    wrong = [record["response"] for record in lines("labels.jsonl") if not _right(record)]
    assert wrong == []


def test_pairs_that_the_rules_were_not_corrected_on() -> None:
    """Known misses: a name at the start of a sentence, a flight number in two words, and a denial of a sentence that
    affirms nothing by our list."""
    wrong = [record["reference"] for record in lines("held_out.jsonl") if not _right(record)]
    assert wrong == [
        "The subscription renews automatically.",
        "Ottawa is the capital of Canada.",
        "My flight is LH 452 and lands at 7:05 in the morning.",
    ]
    assert len(lines("held_out.jsonl")) == 44


def _falsified(text: str) -> str:
    """The text with every number in digits changed, so that nothing else differs."""
    return re.sub(r"\d+", lambda match: str(int(match[0]) + 3), text)


def _systems() -> tuple[list[Example], list[Example], int]:
    """An honest system that paraphrases, and one that repeats the reference with 28 of 48 answers falsified."""
    honest, false, count = [], [], 0
    for record in lines("answers.jsonl"):
        item, reference = str(record["id"]), str(record["reference"])
        changed = _falsified(reference)
        count += changed != reference and count < 28
        said = changed if count <= 28 and changed != reference else reference
        honest.append(example(str(record["paraphrase"]), reference, item=item, system="honest"))
        false.append(example(said, reference, item=item, system="false"))
    return honest, false, count


def test_falsified_numbers_lose_under_facts_though_they_win_by_overlap() -> None:
    honest, false, count = _systems()
    assert (len(false), count) == (48, 28)

    def result(name: str, examples: list[Example]) -> Result:
        return evaluate(build(name), examples)

    by_overlap = compare(result("rouge_l", false), result("rouge_l", honest))
    assert by_overlap.better == "false"
    assert by_overlap.significant
    by_facts = compare(result("facts", false), result("facts", honest))
    assert by_facts.better == "honest"
    assert by_facts.significant
    assert by_facts.p_permutation < 0.001


def test_paraphrases_with_the_same_facts_do_not_lose() -> None:
    honest, _, _ = _systems()
    values = Facts().statistics(honest)[:, 0]
    assert all(Facts().unscorable(each) is None for each in honest)
    assert [honest[at].item for at in np.flatnonzero(values < 1)] == []


def test_every_falsified_number_is_shown_as_contradicted() -> None:
    _, false, _ = _systems()
    lowered = [each for each in false if Facts().statistics([each])[0, 0] < 1]
    assert len(lowered) == 28
    assert sum("contradicted: " in Facts().explain(each) for each in lowered) >= 27


def test_the_explanation_names_what_is_contradicted_missing_and_added() -> None:
    said = example("We open at 10 am and close at 5 pm, as Anna says.", HOURS)
    assert Facts().explain(said) == "contradicted: 9 am (said: 10 am); missing: Sundays; added: Anna"
    assert Facts().explain(example(HOURS, HOURS)) == ""


def test_what_the_user_or_another_reference_says_is_not_added() -> None:
    said = Example(
        "1", "bot", (Turn("user", "My order is 4711."),), Response("Order 4711: $5."), ("It is $5.",)
    )
    assert Facts().explain(said) == ""


def test_items_without_facts_are_unscored_whatever_the_response_adds() -> None:
    facts = Facts()
    assert facts.unscorable(example("It is $5.", "Happy to help!")) == "no fact in the reference"
    assert facts.unscorable(example("It is $5.")) == "no references"
    assert facts.unscorable(example("Nothing.", "It is $5.")) is None


def test_knowledge_takes_the_place_of_references() -> None:
    facts = Facts(against="knowledge")
    said = Example("1", "bot", (), Response("Breakfast is $12."), (), ("breakfast: $12", "from 7 to 10 am"))
    assert facts.statistics([said])[0, 0] == pytest.approx(1 / 3)
    assert facts.explain(said) == "missing: 7, 10 am"
    assert facts.unscorable(example("It is $5.", "It is $5.")) == "no knowledge"


def test_several_languages_share_digits_and_names_and_no_more() -> None:
    assert (
        share("Vous avez 30 jours, jusqu'au 2024-03-03.", "Sie haben 30 Tage, bis 3.3.2024.") < 1
    )  # Tage, jours
    assert share("Le colis pèse 30 kg.", "Das wiegt 30 kg.") == 1.0


TEXTS = st.lists(
    st.sampled_from(
        [
            *(
                "Yes,",
                "no",
                "not available",
                "It is",
                "30 days",
                "$5",
                "Anna",
                "at 5 pm",
                "on 3 March",
                "50%",
                "Visa",
            ),
            *(
                "we ship",
                "closed",
                "free",
                "twelve",
                "1.",
                ".",
                "?",
                ",",
                "half",
                "if",
                "but",
                "東京",
                "9-5pm",
                "½",
            ),
        ]
    ),
    max_size=14,
).map(" ".join) | st.text(max_size=30)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_a_text_keeps_all_of_its_own_facts(text: str) -> None:
    assert all(finding.outcome == "kept" for finding in match_facts(read_facts(text), read_facts(text)))
    assert Facts().explain(example(text, text)) == ""


def test_the_order_of_sentences_does_not_matter() -> None:
    sentences = ["Returns cost $5.", "You have 30 days.", "Ask Anna in Berlin.", "We do not ship to Malta."]
    reference = " ".join(sentences)
    rng = random.Random(1)
    for _ in range(10):
        rng.shuffle(sentences)
        assert share(" ".join(sentences), reference) == 1.0
        assert share(" ".join(sentences[:2]), reference) == share(" ".join(sentences[1::-1]), reference)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 60_000,
        "A-" * 30_000,
        "1 " * 30_000,
        "a.b@" * 15_000,
        "1" * 60_000,
        "Xy Zz, " * 9_000,
        "May 9:00-" * 6_000,
    ],
)
def test_long_texts_take_time_in_proportion(text: str) -> None:
    began = time.process_time()
    reading = read_facts(text)
    match_facts(reading, reading)
    assert time.process_time() - began < 10


def test_many_clauses_about_one_thing_take_seconds_at_most() -> None:
    affirmed = " ".join(f"We ship parcels to town{n}. Dogs never enter room{n}." for n in range(600))
    denied = " ".join(f"We do not ship parcels to town{n}." for n in range(600))
    began = time.process_time()
    found = match_facts(read_facts(affirmed), read_facts(denied))
    assert sum(finding.outcome == "contradicted" for finding in found) == 600
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("reference", "response", "share"),
    [
        ("You can return the lamp.", "You cannot return the lamp.", 0),
        ("You can return the lamp.", "Yes, returning it is fine.", 1),
        ("You may bring your dog.", "Sorry, you may not bring your dog.", 0),
        ("You can pay by card.", "Card payments are fine.", 1),
        ("You can pay by card.", "You can't pay by card.", 0),
    ],
)
def test_permissions_are_facts_of_a_reference_without_others(
    reference: str, response: str, share: int
) -> None:
    (row,) = Facts().statistics([example(response, reference)])
    assert row[0] == share
    assert Facts().unscorable(example(response, "You can find it there.")) == "no fact in the reference"


@pytest.mark.parametrize(
    ("reference", "response", "kept"),
    [
        ("Please ask Anna Keller in our office.", "Please ask Ms Keller in our office.", True),
        ("Please ask Anna Keller in our office.", "Ms. Keller is in our office.", True),
        ("Please ask Anna Keller in our office.", "Please ask Peter Keller in our office.", False),
        ("Ask Mr Smith today.", "Ask John Smith today.", True),
        ("Ask Mr Smith today.", "Ask Mr Jones today.", False),
    ],
)
def test_a_title_stands_for_a_first_name(reference, response, kept):
    (found,) = evaluate(Facts(), [example(response, reference)]).values
    assert found == float(kept)
