"""Recorded verdicts of real judges, imported as raters: the golden numbers of the data's README by public commands."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dialeval.data import read
from dialeval.errors import BadInput
from support.command import Command

SIX = 5e-7


def pairs(dialeval: Command, *arguments: object) -> dict[str, dict[tuple[str, str], dict]]:
    """Kappa and share of equal choices of every two raters, by criterion, as ``annotate agreement`` prints them."""
    done = dialeval("annotate", "agreement", *arguments, "--trials", 0, "--json")
    assert done.code == 0, done.err
    criteria = json.loads(done.out)["criteria"]
    return {
        criterion: {(pair["a"], pair["b"]): pair for pair in found["pairs"]["kappas"]}
        for criterion, found in criteria.items()
        if found["pairs"]
    }


def rows(dialeval: Command, level: str, *arguments: object) -> dict[str, dict]:
    """Correlations with people by measure, as ``meta`` prints them."""
    done = dialeval("meta", *arguments, "--level", level, "--trials", 0, "--json", "-o", "meta")
    assert done.code == 0, done.err
    return {row["measure"]: row for row in json.loads(done.out)["rows"]}


def convert(dialeval: Command, source: Path, form: str) -> str:
    out = f"{source.name}.jsonl"
    done = dialeval("data", "convert", source, out, "--from", form, "--as", "judgement")
    assert done.code == 0, done.err
    return out


def test_cascaded_judges_are_as_accurate_as_published(dialeval: Command, shared_data: Path) -> None:
    path = shared_data / "cascaded-judges" / "pairs.jsonl.gz"
    found = pairs(dialeval, path, "--from", "cascaded-judges", "--criterion", "better")["better"]
    accuracy = {b: pair["equal"] for (a, b), pair in found.items() if a == "people"}
    assert accuracy == pytest.approx(
        {"gpt-4-turbo": 0.784, "gpt-3.5-turbo": 0.756, "mistral-7b-instruct": 0.750}, abs=SIX
    )


def test_pandalm_people_and_judges_agree_as_published(dialeval: Command, shared_data: Path) -> None:
    names = ("testset-v1.jsonl", "judge.gpt-3.5-turbo.jsonl.gz", "judge.pandalm-7b.jsonl.gz")
    files = [convert(dialeval, shared_data / "pandalm" / name, "pandalm") for name in names]
    found = pairs(dialeval, *files)
    people = {("r1", "r2"): 0.852023, ("r1", "r3"): 0.878944, ("r2", "r3"): 0.861661}
    for two, kappa in people.items():
        assert found["better"][two]["kappa"] == pytest.approx(kappa, abs=SIX)
    seven = found["majority"]["people", "pandalm-7b"]
    assert (seven["n"], seven["equal"], seven["kappa"]) == (
        999,
        pytest.approx(0.667668, abs=SIX),
        pytest.approx(0.435355, abs=SIX),
    )
    turbo = found["majority"]["people", "gpt-3.5-turbo"]  # without the 25 replies that are no verdict
    assert (turbo["n"], turbo["equal"], turbo["kappa"]) == (
        974,
        pytest.approx(0.715606, abs=SIX),
        pytest.approx(0.492865, abs=SIX),
    )
    garbage = [one for one in read(files[1], "judgement") if one.criterion == "better" and one.value is None]
    assert len(garbage) == 25
    assert {one.reason for one in garbage} == {"garbage"}


def test_gpt4_agrees_with_people_on_the_vicuna_pairs_and_sums_as_announced(
    dialeval: Command, shared_data: Path
) -> None:
    path = shared_data / "vicuna-faireval" / "reviews.jsonl.gz"
    pair = "vicuna-13b_20230322-clean-lang/gpt35_vicuna-13b"
    found = pairs(dialeval, path, "--from", "vicuna-reviews", "--criterion", f"better in {pair}")
    ((_, both),) = found[f"better in {pair}"].items()
    assert (both["n"], both["equal"]) == (80, 0.525)
    assert both["kappa"] == pytest.approx(0.228035, abs=SIX)
    records = list(read(path, "judgement", format="vicuna-reviews"))
    choices = {
        rater: [one.value for one in records if one.criterion == f"better in {pair}" and one.rater == rater]
        for rater in ("gpt-4", "people")
    }
    assert [choices["gpt-4"].count(value) for value in (1, 2, 0)] == [44, 14, 22]
    assert [choices["people"].count(value) for value in (1, 2, 0)] == [41, 25, 14]
    sums = {
        "llama-13b": (513, 694),
        "alpaca-13b": (583, 704),
        "bard": (664, 655.5),
        "gpt35": (693, 638),
    }
    for other, (its, vicunas) in sums.items():
        criterion = f"score of vicuna-13b_20230322-clean-lang/{other}_vicuna-13b"
        means = ["annotate", "means", path, "--from", "vicuna-reviews", "--criterion", criterion]
        done = dialeval(*means, "--json")
        assert done.code == 0, done.err
        told = json.dumps(json.loads(done.out))
        assert f"{its / 80}" in told
        assert f"{vicunas / 80}" in told


@pytest.mark.parametrize("name", ["vanilla", "vanilla_norules", "cot", "metrics_reference", "rating"])
def test_llmbar_judges_are_right_as_often_as_published(
    name: str, dialeval: Command, shared_data: Path
) -> None:
    folder = shared_data / "llmbar-runs"
    path = folder / f"{name}.jsonl.gz"
    found = pairs(dialeval, path, "--from", "llmbar")
    silent: dict[str, dict[str, set[str]]] = {}
    for one in read(path, "judgement", format="llmbar"):
        if one.value is None:
            silent.setdefault(one.criterion, {}).setdefault(one.rater, set()).add(one.item)
    checked = 0
    for line in (folder / "published_statistics.jsonl").read_text().splitlines():
        told = json.loads(line)
        criterion = f"{told['judge']} {told['prompt']} on {told['set']}"
        if criterion not in found:
            continue
        lost = silent.get(criterion, {})
        both_silent = len(lost.get("as given", set()) & lost.get("swapped", set()))
        for two, key, without in (
            (("people", "as given"), "correct_False", 0),
            (("people", "swapped"), "correct_True", 0),
            (("as given", "swapped"), "equal", both_silent),
        ):
            pair = found[criterion][two]
            assert round(pair["equal"] * pair["n"]) + without == int(told[key].split("/")[0]), (
                criterion,
                key,
            )
        checked += 1
    assert (
        checked
        == {
            "vanilla": 25,
            "vanilla_norules": 37,
            "cot": 25,
            "metrics_reference": 37,
            "rating": 10,
        }[name]
    )


def test_gpt4_on_llmbar_as_in_the_readme(dialeval: Command, shared_data: Path) -> None:
    path = shared_data / "llmbar-runs" / "vanilla.jsonl.gz"
    wanted = {
        "GPT-4 Vanilla on LLMBar/Natural": (0.955, 0.93, 0.95),
        "GPT-4 Vanilla on LLMBar/Adversarial/Neighbor": (0.7873, 0.7537, 0.9328),
    }
    given = [word for criterion in wanted for word in ("--criterion", criterion)]
    found = pairs(dialeval, path, "--from", "llmbar", *given)
    for criterion, (mean, both, equal) in wanted.items():
        one, two = (found[criterion]["people", order]["equal"] for order in ("as given", "swapped"))
        same = found[criterion]["as given", "swapped"]["equal"]
        assert (one + two) / 2 == pytest.approx(mean, abs=5e-5)
        assert same == pytest.approx(equal, abs=5e-5)
        assert (one + two + same - 1) / 2 == pytest.approx(both, abs=5e-5)  # two classes, no silence


def test_a_judge_with_probabilities_correlates_with_people_as_published(
    dialeval: Command, shared_data: Path
) -> None:
    folder = shared_data / "llm-rubric"
    files = [
        convert(dialeval, folder / name, "llm-rubric") for name in ("real.human.tsv", "real.judge.tsv.gz")
    ]
    found = rows(dialeval, "item", *files, "--human-criterion", "Q0")
    expected = found["llm_rubric(question='Q0',value='expected')"]
    assert (expected["items"], expected["systems"]) == (223, 3)
    coefficients = {name: expected[name] for name in ("pearson", "spearman", "kendall")}
    assert coefficients == pytest.approx(
        {"pearson": 0.177301, "spearman": 0.086675, "kendall": 0.065928}, abs=SIX
    )
    likeliest = found["llm_rubric(question='Q0',value='most probable')"]
    assert likeliest["pearson"] == pytest.approx(0.140091, abs=SIX)
    assert likeliest["spearman"] == pytest.approx(0.086990, abs=SIX)
    assert found["llm_rubric(question='Q0',value='sample')"]["pearson"] == pytest.approx(0.087664, abs=SIX)
    means = json.loads(Path("meta/meta.json").read_text())["means"]
    judge = {
        mean["system"]: (mean["human"], mean["value"])
        for mean in means
        if mean["measure"] == "llm_rubric(question='Q0',value='expected')"
    }
    assert judge == {
        "system 0": (pytest.approx(2.8684, abs=5e-5), pytest.approx(3.3251, abs=5e-5)),
        "system 1": (pytest.approx(2.9155, abs=5e-5), pytest.approx(3.2991, abs=5e-5)),
        "system 2": (pytest.approx(2.6974, abs=5e-5), pytest.approx(3.2255, abs=5e-5)),
    }


def test_synthetic_dialogues_with_three_raters_each(dialeval: Command, shared_data: Path) -> None:
    folder = shared_data / "llm-rubric"
    used = set((folder / "synth.ids.tsv").read_text().split()[1:])
    for name in ("synth.human.tsv", "synth.judge.tsv.gz"):
        converted = Path(convert(dialeval, folder / name, "llm-rubric"))
        lines = [line for line in converted.read_text().splitlines() if json.loads(line)["item"] in used]
        Path(name).write_text("\n".join(lines) + "\n")
        Path(name).rename(f"{name}.used.jsonl")
    files = ("synth.human.tsv.used.jsonl", "synth.judge.tsv.gz.used.jsonl")
    # Some people rated a dialogue twice, and all of their ratings count.
    found = rows(dialeval, "item", *files, "--human-criterion", "Q0", "--repeats", "separate")
    expected = found["llm_rubric(question='Q0',value='expected')"]
    assert expected["items"] == 223
    assert expected["pearson"] == pytest.approx(0.265698, abs=SIX)
    assert expected["spearman"] == pytest.approx(0.349487, abs=SIX)


CASES = {
    "fed_dialogue": ("Overall", 125, 0.729469, 0.738069, 0.6829, 0.7949, 0.3580),
    "usr_topicalchat": ("overall", 360, 0.799870, 0.805148, 0.7233, 0.7563, 0.5215),
}


@pytest.mark.parametrize("name", CASES)
def test_five_runs_of_gpt4_agree_with_people_and_with_each_other_as_published(
    name: str, dialeval: Command, shared_data: Path
) -> None:
    quality, items, spearman, pearson, single, between, within = CASES[name]
    file = convert(dialeval, shared_data / "batcheval" / f"{name}.scores.jsonl.gz", "batcheval")
    lines = Path(file).read_text().splitlines()
    kept = [line for line in lines if f"'{quality}'" in line or f'"criterion":"{quality}"' in line]
    Path(file).write_text("\n".join(kept) + "\n")
    found = rows(dialeval, "item", file, "--human-criterion", quality)
    raters = [f"batcheval(judge='gpt-4',quality={quality!r},run={run})" for run in (*range(1, 6), "'mean'")]
    mean = found[raters[-1]]
    assert mean["items"] == items or mean["estimate"]["n"] == items
    assert mean["spearman"] == pytest.approx(spearman, abs=SIX)
    assert mean["pearson"] == pytest.approx(pearson, abs=SIX)
    assert np.mean([found[rater]["spearman"] for rater in raters[:5]]) == pytest.approx(single, abs=5e-5)
    table = json.loads(Path("meta/meta.json").read_text())["correlations"][0]
    places = [table["names"].index(rater) for rater in raters[:5]]
    matrix = table.get("values") or table["matrix"]
    two = [matrix[a][b] for a, b in combinations(places, 2)]
    assert np.mean(two) == pytest.approx(between, abs=5e-5)
    inside = rows(dialeval, "item_within_system", file, "--human-criterion", quality)[raters[-1]]
    assert inside["spearman"] == pytest.approx(within, abs=5e-5)


@pytest.mark.parametrize(
    ("judge", "quality", "spearman"),
    [
        ("gpt-4", "Coherent", 0.752908),
        # The README has .777368 and .741354: there, runs of equal means in another order differ in the last digit.
        ("gpt-4-1106-preview", "Coherent", 0.776710),
        ("gpt-4", "Likeable", 0.741373),
        ("gpt-4", "Understanding", 0.695998),
    ],
)
def test_further_qualities_of_the_five_runs(
    judge: str, quality: str, spearman: float, dialeval: Command, shared_data: Path
) -> None:
    file = convert(dialeval, shared_data / "batcheval" / "fed_dialogue.scores.jsonl.gz", "batcheval")
    rater = f"batcheval(judge={judge!r},quality={quality!r},run='mean')"
    lines = Path(file).read_text().splitlines()
    kept = [line for line in lines if f'"{rater}"' in line or f'"criterion":"{quality}"' in line]
    Path(file).write_text("\n".join(kept) + "\n")
    found = rows(dialeval, "item", file, "--human-criterion", quality)
    assert found[rater]["spearman"] == pytest.approx(spearman, abs=SIX)


@pytest.mark.parametrize(
    ("form", "line", "field"),
    [
        ("cascaded-judges", {"item": "1", "human": 1, "probs": {"j": [0.5]}}, "j"),
        ("cascaded-judges", {"item": "1", "human": 1, "probs": {"j": [1.5, 0]}}, "probs.j"),
        ("cascaded-judges", {"item": "1", "human": 3, "probs": {}}, "human"),
        ("cascaded-judges", {"item": "1", "human": 1}, "probs"),
        ("pandalm", {"idx": 1}, "result"),
        ("pandalm", {"idx": 1, "result": [1]}, "result"),
        (
            "llmbar",
            {"row": 1, "set": "s", "judge": "j", "prompt": "p", "label": 1, "winner": "1"},
            "winner_swapped",
        ),
        ("vicuna-reviews", {"item": "1", "file": "f", "score": [1]}, "score"),
        ("batcheval", {"item": "1", "system": "s", "human": {"a": "x"}}, "judge"),
        ("batcheval", [1], ""),
    ],
)
def test_what_is_wrong_with_a_record_is_named(form: str, line: object, field: str, tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(BadInput) as caught:
        list(read(path, "judgement", format=form))
    assert (caught.value.field or "") == field
    assert caught.value.line == 1


def test_a_judges_file_without_its_dialogues_says_what_is_missing(tmp_path: Path, shared_data: Path) -> None:
    copy = tmp_path / "real.judge.tsv.gz"
    copy.write_bytes((shared_data / "llm-rubric" / "real.judge.tsv.gz").read_bytes())
    with pytest.raises(BadInput, match=r"real\.human\.tsv beside it"):
        list(read(copy, "judgement", format="llm-rubric"))
