"""A made corpus of acts and sentences, small enough to be learnt by heart, and settings to do so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from dialeval.nlg.acts.files import ActItem
from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.generators.config import Model, Shape, TrainConfig
from dialeval.nlg.generators.lessons import Split, split_lessons
from dialeval.training.schedule import Schedule

MODELS: Final[tuple[Model, ...]] = ("lstm", "d-sclstm", "ld-sclstm", "hld-sclstm")
NAMES: Final = ("piperade", "kiss seafood", "red door cafe", "udupi palace")
FOODS: Final = ("thai", "basque", "indian")
TEMPLATES: Final[Mapping[str, str]] = {
    "inform(name='{name}';food={food})": "{name} serves {food} food",
    "inform(name='{name}';area=north)": "{name} is in the north",
    "inform(name='{name}';kidsallowed=yes)": "{name} allows kid -s",
    "inform(name='{name}';kidsallowed=no)": "{name} does not allow kid -s",
    "offer(name='{name}') inform(food={food})": "how about {name} ? it is {food}",
    "request(area)": "which area would you like ?",
    "goodbye()": "thank you , goodbye",
}


def made_items() -> list[ActItem]:
    """Every template with every name and food."""
    unique = dict.fromkeys(
        (act.format(name=name, food=food), text.format(name=name, food=food))
        for name in NAMES
        for food in FOODS
        for act, text in TEMPLATES.items()
    )
    return [ActItem(f"i{number}", parse_act(act), (text,)) for number, (act, text) in enumerate(unique)]


def made_split() -> Split:
    """The made corpus, the last name held out."""
    train = [item for item in made_items() if NAMES[-1] not in item.references[0]]
    return split_lessons({"train": train, "valid": [item for item in made_items() if item not in train]})


def config(model: Model = "hld-sclstm", *, epochs: int = 3, seed: int = 0, hidden: int = 24) -> TrainConfig:
    """Settings of a training run of about a second."""
    schedule = Schedule(epochs=epochs, learning_rate=0.02, clip=5.0, seed=seed, save_every=2)
    return TrainConfig(Shape(model, embedding=16, hidden=hidden, dropout=0.1), schedule, batch=8)


def by_heart(model: Model) -> TrainConfig:
    """Settings with which the made corpus is learnt by heart."""
    learning = config(model, epochs=40)
    return replace(learning, shape=replace(learning.shape, dropout=0.0), unknown=0.2)


def write_rnnlg(folder: Path) -> Path:
    """The made corpus as an RNNLG folder."""
    import json

    from dialeval.nlg.acts.notations import print_act

    folder.mkdir(parents=True, exist_ok=True)
    for split in ("train", "valid", "test"):
        rows = [[print_act(item.meaning), item.references[0], item.references[0]] for item in made_items()]
        (folder / f"{split}.json").write_text("# made\n" * 5 + json.dumps(rows, indent=1), encoding="utf-8")
    return folder
