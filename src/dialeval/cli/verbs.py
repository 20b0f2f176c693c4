"""All verbs of the command line, each imported when it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

Function: TypeAlias = Callable[..., Any]


class Verb(NamedTuple):
    """A verb: what imports its function, and its line in the list of verbs; its help is the function's docstring."""

    load: Callable[[], Function]
    summary: str

    @property
    def function(self) -> Function:
        """The function, whose module is imported now."""
        return self.load()


class Group:
    """Verbs that belong together, in the order of the help."""

    def __init__(self, summary: str, example: str) -> None:
        self.summary, self.example = summary, example
        self.commands: dict[str, Verb | Group] = {}

    def verb(self, name: str, summary: str) -> Callable[[Callable[[], Function]], Callable[[], Function]]:
        """Decorate the function that imports the verb of that name."""

        def added(load: Callable[[], Function]) -> Callable[[], Function]:
            self.commands[name] = Verb(load, summary)
            return load

        return added

    def group(self, name: str, summary: str, example: str) -> Group:
        """Add a group of that name."""
        added = self.commands[name] = Group(summary, example)
        return added


COMMANDS: Final = Group("Which dialogue system is better, and can you trust the number?", "dialeval demo")


@COMMANDS.verb("demo", "Run a study on bundled dialogues, and write its report.")
def _demo() -> Function:
    from dialeval.cli.demo import demo

    return demo


@COMMANDS.verb("init", "Write a commented study file from your files.")
def _init() -> Function:
    from dialeval.cli.init import init

    return init


@COMMANDS.verb("run", "Compare systems on your data: a leaderboard and a report.")
def _run() -> Function:
    from dialeval.cli.run import run

    return run


@COMMANDS.verb("score", "Score responses or dialogues, with intervals.")
def _score() -> Function:
    from dialeval.cli.score import score

    return score


@COMMANDS.verb("merge", "Join the shards of 'run' or 'score'.")
def _merge() -> Function:
    from dialeval.cli.merge import merge

    return merge


@COMMANDS.verb("compare", "Compare two systems: better, worse or equivalent?")
def _compare() -> Function:
    from dialeval.cli.compare import compare

    return compare


@COMMANDS.verb("meta", "Correlate measures with human ratings.")
def _meta() -> Function:
    from dialeval.cli.meta import meta

    return meta


@COMMANDS.verb("report", "Rebuild the page of a folder, or export its results.")
def _report() -> Function:
    from dialeval.cli.report import report

    return report


@COMMANDS.verb("chat", "Talk with a system, or let systems talk.")
def _chat() -> Function:
    from dialeval.cli.chat import chat

    return chat


ANNOTATE: Final = COMMANDS.group(
    "annotate",
    "Human ratings: collect them; agreement, means, preferences.",
    "dialeval annotate agreement ratings.jsonl",
)


@ANNOTATE.verb("init", "Make a rating study: blind items, questions, invitations.")
def _annotate_init() -> Function:
    from dialeval.cli.annotate.init import init

    return init


@ANNOTATE.verb("serve", "Serve a rating study, and print the links to it.")
def _annotate_serve() -> Function:
    from dialeval.cli.annotate.serve import serve

    return serve


@ANNOTATE.verb("simulate", "Fill a rating study with simulated raters.")
def _annotate_simulate() -> Function:
    from dialeval.cli.annotate.simulate import simulate

    return simulate


@ANNOTATE.verb("export", "Write the judgements of a rating study.")
def _annotate_export() -> Function:
    from dialeval.cli.annotate.sheets import export

    return export


@ANNOTATE.verb("demo", "Make and serve a small rating study of bundled dialogues.")
def _annotate_demo() -> Function:
    from dialeval.cli.annotate.serve import demo

    return demo


@ANNOTATE.verb("tasks", "Write the items as a blind CSV for a crowd platform.")
def _annotate_tasks() -> Function:
    from dialeval.cli.annotate.sheets import tasks

    return tasks


@ANNOTATE.verb("import", "Store the answers of filled-in tables.")
def _annotate_import() -> Function:
    from dialeval.cli.annotate.sheets import take

    return take


@ANNOTATE.verb("agreement", "Print how well raters agree, and whom to drop.")
def _annotate_agreement() -> Function:
    from dialeval.cli.annotate.agreement import agreement

    return agreement


@ANNOTATE.verb("means", "Print mean ratings and their differences.")
def _annotate_means() -> Function:
    from dialeval.cli.annotate.means import means

    return means


@ANNOTATE.verb("preferences", "Rank systems by preferences between two answers.")
def _annotate_preferences() -> Function:
    from dialeval.cli.annotate.preferences import preferences

    return preferences


JUDGE: Final = COMMANDS.group(
    "judge",
    "Judges: steps, verdicts for people to check, estimates, drift.",
    "dialeval judge escalate runs/demo ratings.jsonl -o more --agree 0.85 --budget 200",
)


@JUDGE.verb("steps", "Have a judge write the steps by which it judges, once.")
def _judge_steps() -> Function:
    from dialeval.cli.judge.steps import steps

    return steps


@JUDGE.verb("escalate", "Send uncertain verdicts and a random audit to people.")
def _judge_escalate() -> Function:
    from dialeval.cli.judge.escalate import escalate

    return escalate


@JUDGE.verb("estimate", "Estimate mean ratings after an escalation.")
def _judge_estimate() -> Function:
    from dialeval.cli.judge.escalate import estimate

    return estimate


@JUDGE.verb("drift", "Judge answers of an earlier run again: same verdicts?")
def _judge_drift() -> Function:
    from dialeval.cli.judge.drift import drift

    return drift


CONSISTENCY: Final = COMMANDS.group(
    "consistency",
    "Provoke contradictions, find them, and quote the two turns.",
    "dialeval consistency detect dialogues.jsonl",
)


@CONSISTENCY.verb("probe", "Mine or make questions that provoke contradictions.")
def _consistency_probe() -> Function:
    from dialeval.cli.consistency.probe import probe

    return probe


@CONSISTENCY.verb("collect", "Ask systems for answers to probes.")
def _consistency_collect() -> Function:
    from dialeval.cli.consistency.probe import collect

    return collect


@CONSISTENCY.verb("detect", "Find contradictions in dialogues.")
def _consistency_detect() -> Function:
    from dialeval.cli.consistency.detect import detect

    return detect


@CONSISTENCY.verb("tasks", "Write blind tasks for raters of contradictions.")
def _consistency_tasks() -> Function:
    from dialeval.cli.consistency.label import tasks

    return tasks


@CONSISTENCY.verb("label", "Settle the raters' answers.")
def _consistency_label() -> Function:
    from dialeval.cli.consistency.label import label

    return label


@CONSISTENCY.verb("questions", "Turn contradictions into lessons for a generator.")
def _consistency_questions() -> Function:
    from dialeval.cli.consistency.questions import questions

    return questions


@CONSISTENCY.verb("analyse", "Analyse labelled answers: what provokes, what is missed.")
def _consistency_analyse() -> Function:
    from dialeval.cli.consistency.evaluate import analyse

    return analyse


@CONSISTENCY.verb("evaluate", "Measure a detector on labelled pairs.")
def _consistency_evaluate() -> Function:
    from dialeval.cli.consistency.evaluate import evaluate

    return evaluate


DATA: Final = COMMANDS.group(
    "data",
    "Data files: what can be read, whether it is valid, conversion.",
    "dialeval data convert chats.json dialogues.jsonl --from sharegpt",
)


@DATA.verb("ls", "List the formats that can be read.")
def _data_ls() -> Function:
    from dialeval.cli.data import ls

    return ls


@DATA.verb("validate", "Read a whole file, strictly, and say what is in it.")
def _data_validate() -> Function:
    from dialeval.cli.data import validate

    return validate


@DATA.verb("convert", "Turn a file of any format we read into one of ours.")
def _data_convert() -> Function:
    from dialeval.cli.data import convert

    return convert


NBEST: Final = COMMANDS.group(
    "nbest",
    "Contradictions among n-best responses: Certainty and Variety.",
    "dialeval nbest measure stimuli.jsonl --system smollm2-135m-instruct",
)


@NBEST.verb("stimuli", "Turn inference pairs into yes/no questions.")
def _nbest_stimuli() -> Function:
    from dialeval.cli.nbest.stimuli import stimuli

    return stimuli


@NBEST.verb("measure", "Measure Certainty and Variety of n-best lists.")
def _nbest_measure() -> Function:
    from dialeval.cli.nbest.measure import measure

    return measure


@NBEST.verb("sweep", "Curves of Certainty and Variety by beam size.")
def _nbest_sweep() -> Function:
    from dialeval.cli.nbest.sweep import sweep

    return sweep


@NBEST.verb("answers", "Classify answers as yes, no or ambiguous.")
def _nbest_answers() -> Function:
    from dialeval.cli.nbest.answers import answers

    return answers


@NBEST.verb("shares", "Share of contradictions where systems are right and wrong.")
def _nbest_shares() -> Function:
    from dialeval.cli.nbest.shares import shares

    return shares


NLG: Final = COMMANDS.group(
    "nlg",
    "Task-oriented generation: dialogue acts in words, slot errors.",
    "dialeval nlg score outputs.jsonl --json",
)


@NLG.verb("generate", "Put dialogue acts into words.")
def _nlg_generate() -> Function:
    from dialeval.cli.nlg.generate import generate

    return generate


@NLG.verb("score", "Count slots missing, wrong, added and repeated.")
def _nlg_score() -> Function:
    from dialeval.cli.nlg.score import score

    return score


RESOURCES: Final = COMMANDS.group(
    "resources",
    "Weights, vectors and lexicons: what is installed, how to get it.",
    "dialeval resources verify",
)


@RESOURCES.verb("ls", "List every resource, its licence, how to install it.")
def _resources_ls() -> Function:
    from dialeval.cli.resources import ls

    return ls


@RESOURCES.verb("verify", "Compare installed resources with the known hashes.")
def _resources_verify() -> Function:
    from dialeval.cli.resources import verify

    return verify


SCENARIOS: Final = COMMANDS.group(
    "scenarios", "Scenarios for simulated users.", "dialeval scenarios check scenarios.yaml"
)


@SCENARIOS.verb("from", "Distil scenarios from dialogues.")
def _scenarios_from() -> Function:
    from dialeval.cli.talks import from_dialogues

    return from_dialogues


@SCENARIOS.verb("check", "Check a file of scenarios.")
def _scenarios_check() -> Function:
    from dialeval.cli.talks import check

    return check


SELECT: Final = COMMANDS.group(
    "select",
    "Build a test set of candidates to choose from, and ask systems.",
    "dialeval select ask questions.jsonl --system tfidf --system my-bot",
)


@SELECT.verb("build", "Draft questions with false candidates.")
def _select_build() -> Function:
    from dialeval.cli.select.build import build

    return build


@SELECT.verb("tasks", "Write blind annotation tasks for a draft.")
def _select_tasks() -> Function:
    from dialeval.cli.select.vet import tasks

    return tasks


@SELECT.verb("vet", "Turn a draft into a test set, by people's scores.")
def _select_vet() -> Function:
    from dialeval.cli.select.vet import vet

    return vet


@SELECT.verb("label", "Label false candidates with their errors.")
def _select_label() -> Function:
    from dialeval.cli.select.vet import label

    return label


@SELECT.verb("stats", "Print sizes, agreement, and cues that give the answer away.")
def _select_stats() -> Function:
    from dialeval.cli.select.stats import stats

    return stats


@SELECT.verb("ask", "Ask systems to choose, and compare their accuracy.")
def _select_ask() -> Function:
    from dialeval.cli.select.ask import ask

    return ask


SELFEVAL: Final = COMMANDS.group(
    "selfeval",
    "Tests of scorers without references.",
    "dialeval selfeval levels dialogues.jsonl -m selfeval",
)


@SELFEVAL.verb("levels", "Measure how well scores tell how many turns were replaced.")
def _selfeval_levels() -> Function:
    from dialeval.cli.selfeval.levels import levels

    return levels


SYSTEMS: Final = COMMANDS.group("systems", "Systems that can be evaluated.", "dialeval systems ls")


@SYSTEMS.verb("ls", "List every kind of system and its keys.")
def _systems_ls() -> Function:
    from dialeval.cli.systems import ls

    return ls


TALKS: Final = COMMANDS.group(
    "talks", "Simulated users beside real ones and beside each other.", "dialeval talks users runs/talks"
)


@TALKS.verb("users", "Describe how users behave, simulated ones beside real ones.")
def _talks_users() -> Function:
    from dialeval.cli.talks import users

    return users


@TALKS.verb("judge", "Judge recorded talks by the criteria of their scenarios.")
def _talks_judge() -> Function:
    from dialeval.cli.talks import judge

    return judge


@TALKS.verb("correct", "Estimate success with real users from few real talks and many simulated ones.")
def _talks_correct() -> Function:
    from dialeval.cli.talks import correct

    return correct


@TALKS.verb("survive", "Tell whether a ranking survives another simulated user.")
def _talks_survive() -> Function:
    from dialeval.cli.talks import survive

    return survive


TRAIN: Final = COMMANDS.group(
    "train",
    "Train generators, scorers, detectors, classifiers on your data.",
    "dialeval train generator dialogues.jsonl -o my-bot",
)


@TRAIN.verb("generator", "Train a response generator.")
def _train_generator() -> Function:
    from dialeval.cli.train.generator import generator

    return generator


@TRAIN.verb("contradiction", "Train a contradiction detector.")
def _train_contradiction() -> Function:
    from dialeval.cli.train.contradiction import contradiction

    return contradiction


@TRAIN.verb("acts", "Train a labeller of dialogue acts.")
def _train_acts() -> Function:
    from dialeval.cli.train.classifiers import acts

    return acts


@TRAIN.verb("nlg", "Train a generator of sentences from dialogue acts.")
def _train_nlg() -> Function:
    from dialeval.cli.train.nlg import nlg

    return nlg


@TRAIN.verb("quality", "Fit the weights of 'quality' to people's ratings.")
def _train_quality() -> Function:
    from dialeval.cli.train.quality import quality

    return quality


@TRAIN.verb("rival", "Train a rival of SelF-Eval; no labels needed.")
def _train_rival() -> Function:
    from dialeval.cli.train.scorers import rival

    return rival


@TRAIN.verb("selfeval", "Train SelF-Eval; no labels needed.")
def _train_selfeval() -> Function:
    from dialeval.cli.train.scorers import selfeval

    return selfeval


@TRAIN.verb("yesno", "Train a classifier of answers: yes, no or ambiguous.")
def _train_yesno() -> Function:
    from dialeval.cli.train.classifiers import yesno

    return yesno


@TRAIN.verb("skip-thought", "Train a Skip-Thought sentence encoder; no labels needed.")
def _train_skip_thought() -> Function:
    from dialeval.cli.train.skip_thought import skip_thought

    return skip_thought


@COMMANDS.verb("docs", "Print a page of the documentation, or list the pages.")
def _docs() -> Function:
    from dialeval.cli.docs import docs

    return docs


@COMMANDS.verb("doctor", "Check the installation, and say what to do next.")
def _doctor() -> Function:
    from dialeval.cli.doctor import doctor

    return doctor


_SCORE: Final = "'dialeval score FILE' for one file of responses, or 'dialeval run STUDY' for several systems"
NEAR_VERBS: Final = {
    **dict.fromkeys(("evaluate", "eval", "measure", "metrics", "bleu", "rouge"), _SCORE),
    **dict.fromkeys(("rank", "leaderboard", "benchmark", "test", "study"), "'dialeval run STUDY'"),
    **dict.fromkeys(("new", "create", "start", "setup"), "'dialeval init FILE...'"),
    **dict.fromkeys(("diff", "significance", "ab", "versus"), "'dialeval compare A B'"),
    **dict.fromkeys(("correlate", "correlation", "validate-metrics"), "'dialeval meta'"),
    **dict.fromkeys(("agreement", "kappa"), "'dialeval annotate agreement FILE'"),
    **dict.fromkeys(("convert", "import", "export"), "'dialeval data convert FILE OUT'"),
    **dict.fromkeys(("validate", "check", "lint"), "'dialeval data validate FILE'"),
    **dict.fromkeys(("html", "show", "view", "render"), "'dialeval report FOLDER'"),
    **dict.fromkeys(("talk", "converse", "ask"), "'dialeval chat SYSTEM'"),
    **dict.fromkeys(
        ("llm-judge", "grade"),
        "'dialeval score FILE -m \"judge(model=..., base_url=...)\"' ('dialeval docs judge')",
    ),
    **dict.fromkeys(("help", "manual", "man", "documentation"), "'dialeval docs' or 'dialeval --help'"),
    **dict.fromkeys(("ls", "list"), "'dialeval data ls', 'dialeval systems ls' or 'dialeval resources ls'"),
    **dict.fromkeys(("serve", "annotation", "label", "rate"), "'dialeval annotate'"),
    **dict.fromkeys(("download", "install", "models"), "'dialeval resources ls'"),
}
"""Verbs of other tools, and what to call here instead."""
