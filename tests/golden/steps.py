"""The commands whose output is pinned, in the order in which they are run."""

from __future__ import annotations

import shlex
from typing import Final, NamedTuple


class Step(NamedTuple):
    """One command, in the folder where the study and the output of earlier steps are."""

    name: str
    """Under which its standard output is pinned."""
    line: str
    """Everything after ``dialeval``, as in a shell."""

    @property
    def arguments(self) -> list[str]:
        return shlex.split(self.line)

    @property
    def prints_json(self) -> bool:
        return "--json" in self.arguments


ASKED = "--system careful.jsonl --system hasty.jsonl --system tfidf"
KNOWN = "--system tfidf --system knower.jsonl --system guesser.jsonl"
PEOPLE = "meta runs/main ratings.jsonl --human-criterion overall"
PLAIN = "--measures 'bleu*' --measures 'rouge*' --measures length"

STEPS: Final = (
    # Studies. The first has a system that cannot choose, so it exits with 1.
    Step("run", "run study.yaml -o runs/main"),
    Step("run_clustered", "run clustered.yaml -o runs/second"),
    Step(
        "run_gate",
        "run clustered.yaml -o runs/gate --no-resume --seed 5 --limit 10 --fail-under rouge_l=0.99 --json",
    ),
    Step("report_markdown", "report runs/main --markdown"),
    Step("report_json", "report runs/second --json"),
    Step(
        "compare_runs",
        "compare runs/main runs/second -m rouge_l --seed 1 --trials 50 --level 0.9 --cluster dialogue --json",
    ),
    Step("compare_systems", "compare runs/main:careful runs/main:brief --json"),
    Step("compare_systems_text", "compare runs/main:careful runs/main:finder --level 0.9 --trials 50"),
    Step("compare_choices", "compare runs/main:careful runs/main:likeness -m selection_accuracy --json"),
    Step(
        "compare_files",
        "compare careful_examples.jsonl brief_examples.jsonl --cluster dialogue --trials 50 --json",
    ),
    # Metrics of files.
    Step(
        "score",
        "score careful_examples.jsonl -m bleu -m rouge_l -m chrf -m cider -m 'distinct(n=1)' -m self_bleu "
        "-m vocabulary -m length --trials 50 --per-item scored/items.jsonl --json",
    ),
    Step(
        "score_brief", "score brief_examples.jsonl -m rouge_l -m length --per-item scored/brief.jsonl --json"
    ),
    Step("score_lines", "score --hyp answers.txt --ref gold1.txt --ref gold2.txt --trials 0 --json"),
    Step("score_text", "score careful_examples.jsonl --cluster dialogue --seed 2 --trials 50"),
    Step("score_bad", "score spoilt.jsonl -m length --trials 50 --skip-bad --fail-under length=9 --json"),
    Step(
        "score_items_csv",
        "score careful_examples.jsonl -m rouge_l --trials 0 --per-item scored/items.csv --json",
    ),
    # People.
    Step(
        "agreement",
        "annotate agreement ratings.jsonl --classes '>3' --scale 1-5 --drop-below 0.1 --trials 50 --json",
    ),
    Step(
        "agreement_worst",
        "annotate agreement ratings.jsonl --criterion overall --system careful --drop-below 0.9 "
        "--drop-rule worst-first --trials 0 --json",
    ),
    Step("agreement_wide", "annotate agreement wide.csv --from ratings-wide --trials 50 --json"),
    Step("agreement_text", "annotate agreement ratings.jsonl --criterion overall --trials 50"),
    # Measures against people.
    Step("meta", f"{PEOPLE} --trials 60 -o metas/plain"),
    Step(
        "meta_everything",
        f"{PEOPLE} {PLAIN} --also fluent --estimate --plan --combine --instances 'rouge_l>=median' "
        "--instances 'length<=6' --lower-is-better length --trials 60 -o metas/everything --plots --json",
    ),
    Step(
        "meta_estimate_by",
        f"{PEOPLE} --estimate-by length --resample both --level item --level system --coefficient kendall "
        "--scale 1-5 --trials 40 -o metas/estimated --json",
    ),
    Step(
        "meta_clustered",
        "meta ratings.jsonl scored/items.jsonl scored/brief.jsonl --human-criterion fluent --people ann --people 'b*' "
        "--people cy --people dot --cluster dialogue --coefficient pearson --trials 40 -o metas/files --json",
    ),
    # A test set for selection, from raters' answers.
    Step("tasks", "select tasks draft.jsonl --seed 2 -o tasks/fit --json"),
    Step("tasks_classes", "select tasks questions.jsonl --form error_class --seed 2 -o tasks/classes"),
    Step("tasks_mistakes", "select tasks questions.jsonl --form mistake --seed 2 -o tasks/mistakes --json"),
    Step("vet", "select vet draft.jsonl --scores filled.csv --key tasks/fit/key.jsonl -o vetted --json"),
    Step(
        "vet_text",
        "select vet draft.jsonl --scores filled.csv --key tasks/fit/key.jsonl --seed 1 -o vetted_too",
    ),
    Step(
        "label",
        "select label plain.jsonl --scores classes.csv --key tasks/classes/key.jsonl -o labelled/classes --json",
    ),
    Step(
        "label_mistakes",
        "select label plain.jsonl --form mistake --at-least 3 --scores mistakes.csv "
        "--key tasks/mistakes/key.jsonl -o labelled/mistakes",
    ),
    Step(
        "stats", "select stats vetted/questions.jsonl --scores vetted/scores.jsonl --random-trials 5 --json"
    ),
    Step(
        "stats_text", "select stats vetted/questions.jsonl --repository lines.txt --random-trials 5 --limit 6"
    ),
    # Systems that choose.
    Step(
        "ask",
        f"select ask questions.jsonl {ASKED} --system echo --random-trials 5 --repository lines.txt --trials 50 "
        "--hits 2 --hits 3 --cluster dialogue -o asked/main --json",
    ),
    Step(
        "ask_trials",
        f"select ask questions.jsonl {KNOWN} --random-trials 5 --pool 8 --human question_ratings.jsonl "
        "--trials 50 -o asked/trials",
    ),
    Step(
        "ask_items",
        f"select ask questions.jsonl {ASKED} --error wrong_tense --one-truth --limit 8 --trials 50 --seed 1 "
        "--per-item asked/items.jsonl --json",
    ),
    Step("meta_choices", "meta asked/trials question_ratings.jsonl --trials 40 -o metas/choices --json"),
    Step("report_meta_json", "report metas/choices --json"),
    # Data.
    Step("data_ls", "data ls --json"),
    Step("validate_prompts", "data validate prompts.jsonl --json"),
    Step("validate_ratings", "data validate ratings.jsonl --json"),
    Step("validate_nbest", "data validate careful.jsonl --json"),
    Step("validate_questions", "data validate questions.jsonl --json"),
    Step("validate_bad", "data validate spoilt.jsonl --skip-bad --json"),
    Step("convert_examples", "data convert careful_examples.jsonl converted/examples.csv"),
    Step("convert_back", "data convert converted/examples.csv converted/examples.jsonl"),
    Step("convert_parquet", "data convert careful_examples.jsonl converted/examples.parquet"),
    Step("convert_ratings", "data convert wide.csv converted/ratings.tsv --from ratings-wide"),
    Step("convert_questions", "data convert questions.jsonl converted/questions.parquet"),
    Step("convert_nbest", "data convert hasty.jsonl converted/nbest.csv"),
    Step("convert_chats", "data convert openai.jsonl converted/dialogues.jsonl --from openai"),
    Step("convert_dialogues", "data convert corpus.jsonl converted/prompts.jsonl --as prompt"),
    Step(
        "convert_lines",
        "data convert answers.txt converted/lines.jsonl --ref gold1.txt --ref gold2.txt --system mine",
    ),
    Step("convert_bad", "data convert spoilt.jsonl converted/sound.jsonl --skip-bad"),
    # The rest.
    Step("systems_ls", "systems ls --json"),
    Step("resources_ls", "resources ls --json"),
    Step("doctor", "doctor --json"),
    Step(
        "chat_self", "chat echo --with self --openings prompts.jsonl --turns 2 --limit 2 -o talks/self.jsonl"
    ),
    Step("chat_script", "chat study.yaml:finder --script gold1.txt -o talks/script.jsonl"),
)

DEMO_STEPS: Final = (
    Step("demo_copy", "demo --copy copied"),
    Step("demo", "demo --quick -o runs/demo --json"),
    Step(
        "stats_demo",
        "select stats copied/selection/questions.jsonl --scores copied/selection/scores.jsonl --random-trials 5 "
        "--json",
    ),
)
"""Needs, as those above, only what ``pip install dialeval`` brings, and some seconds more."""

STATIC = "--repository lines.txt --vectors static --words vectors.txt"
RETRIEVAL_STEPS: Final = (
    Step("build", f"select build corpus.jsonl {STATIC} --m 4 -o built/main --json"),
    Step(
        "build_text",
        f"select build corpus.jsonl {STATIC} --exclude gold1.txt --turns 1 --m 2 --limit 3 -o built/few",
    ),
    Step("guess", "select label plain.jsonl --guess -o guessed --json"),
)
"""Needs the extras ``retrieval`` and ``language``."""

NEURAL_STEPS: Final = (
    Step("sift", "select vet draft.jsonl --automatic --system none -o sifted --json"),
    Step("train_generator", "train generator corpus.jsonl -o models/gru --epochs 1 --held-out 0.2 --json"),
    Step(
        "train_skip_thought", "train skip-thought corpus.jsonl -o models/skip --scale tiny --epochs 1 --json"
    ),
    Step(
        "train_unlikelihood",
        "train generator --unlikelihood questions.jsonl --start-from models/gru -o models/careful --epochs 1 --json",
    ),
    Step(
        "train_roster",
        "train generator corpus.jsonl --roster roster.yaml --extra more=prompts.jsonl --epochs 1 -o models/all --json",
    ),
)
"""Needs the extra ``neural``."""
