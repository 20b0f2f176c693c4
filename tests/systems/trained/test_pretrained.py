"""Hugging Face models, small ones made here, trained further with unlikelihood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from dialeval.errors import ResourceUnavailable
from dialeval.systems.huggingface import HuggingFace
from dialeval.systems.trained.lessons import Lesson, Split
from dialeval.systems.trained.pretrained import TUNING, PretrainedLearner, tune
from dialeval.systems.trained.subwords import learn
from dialeval.systems.trained.trainer import Objective, TokenLesson
from dialeval.training.schedule import Schedule
from support.small_generators import made_lessons, said

transformers = pytest.importorskip("transformers")


def made_model(folder: Path, kind: str) -> Path:
    """A causal or encoder-decoder model of Hugging Face that has learnt nothing."""
    texts = [text for lesson in made_lessons() for text in (lesson.gold, lesson.context[-1].text)]
    words = learn(texts, 300)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words.tokenizer, pad_token="<pad>", eos_token="<end>", bos_token="<start>"
    )
    torch.manual_seed(0)
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    if kind == "causal":
        settings = transformers.GPT2Config(
            vocab_size=len(words), n_embd=32, n_layer=1, n_head=2, n_positions=128, **special
        )
        model = transformers.GPT2LMHeadModel(settings)
    else:
        settings = transformers.T5Config(
            vocab_size=len(words), d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
            decoder_start_token_id=0, **special,
        )  # fmt: skip
        model = transformers.T5ForConditionalGeneration(settings)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def learner(folder: Path) -> PretrainedLearner:
    from dialeval.systems.huggingface.files import find_model
    from dialeval.systems.huggingface.loader import ModelSettings, load

    loaded = load(ModelSettings(find_model(str(folder), None, hub=False), "float32", "cpu", "plain", None, 1))
    return PretrainedLearner(loaded, 64, 64)


LESSONS = [
    Lesson(said("Do you want tea?"), "tea at home, please!", "no tea at work, never!"),
    Lesson(said("I am at sea.", "Do you want much soup and bread?"), "soup!", "rice"),
    Lesson((), "cake at school", ""),
]


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_losses_are_the_scores_of_the_system(tmp_path: Path, kind: str) -> None:
    folder = made_model(tmp_path / "made", kind)
    ours = learner(folder)
    read = [ours.read(lesson) for lesson in LESSONS]
    with torch.inference_mode():
        sums = Objective(ours, alpha=1.0).loss(read).sums
        alone = [Objective(ours, alpha=1.0).loss([lesson]).sums for lesson in read]
    system = HuggingFace("it", str(folder), device="cpu")
    contexts = [lesson.context for lesson in LESSONS]
    golds = [lesson.gold for lesson in LESSONS]
    assert sums["nats"].total == pytest.approx(-system.logprob(contexts, golds).sum(), abs=1e-3)
    assert sums["nats"].number == system.tokens(golds).sum()
    assert sums["unlikelihood"].total == pytest.approx(
        sum(each["unlikelihood"].total for each in alone if "unlikelihood" in each), abs=1e-4
    )


def test_the_loss_without_negatives_is_that_of_transformers(tmp_path: Path) -> None:
    ours = learner(made_model(tmp_path / "made", "causal"))
    lesson = ours.read(LESSONS[0])
    ids = torch.tensor([[*lesson.context, *lesson.gold]])
    labels = ids.clone()
    labels[0, : len(lesson.context)] = -100
    with torch.inference_mode():
        theirs = ours.module(input_ids=ids, labels=labels).loss
        found = Objective(ours).loss([TokenLesson(lesson.context, lesson.gold)])
    assert float(found.loss) == pytest.approx(float(theirs), abs=1e-5)


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_negatives_become_unlikely_and_the_folder_is_a_model(tmp_path: Path, kind: str) -> None:
    folder = made_model(tmp_path / "made", kind)
    schedule = Schedule(epochs=15, learning_rate=0.01, warm_up=5)
    settings = replace(TUNING, schedule=schedule, batch_tokens=300, alpha=5.0)
    data = Split(LESSONS[:2], LESSONS[:2])
    mean = Objective(learner(folder), alpha=5.0).mean
    before = HuggingFace("before", str(folder), device="cpu").logprob(
        [LESSONS[0].context], [LESSONS[0].gold]
    )[0]
    done = tune(data, settings, tmp_path / "tuned", str(folder))
    assert mean(done.history[-1].train) < mean(done.history[0].train) / 2
    system = HuggingFace("tuned", str(tmp_path / "tuned"), device="cpu")
    gold, negative = system.logprob([LESSONS[0].context] * 2, [LESSONS[0].gold, LESSONS[0].negative or ""])
    assert gold > before
    assert gold > negative + 5
    names = {path.name for path in (tmp_path / "tuned").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "training.json", "checkpoint"} <= names
    # The model it started from is as it was, on disk and in the cache of this process.
    assert HuggingFace("again", str(folder), device="cpu").logprob(
        [LESSONS[0].context], [LESSONS[0].gold]
    ) == pytest.approx(before)


def test_a_model_that_is_not_there_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ResourceUnavailable, match="There is no folder"):
        tune(Split(LESSONS, []), TUNING, tmp_path / "tuned", "./nowhere")
