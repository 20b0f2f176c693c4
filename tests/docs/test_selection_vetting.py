"""The page about vetting: its code runs and prints what it says, and its rules are the ones we apply."""

from __future__ import annotations

import re
from dataclasses import fields as fields_of

from dialeval.annotation.answers import Unusable
from dialeval.annotation.forms import ACCEPTABILITY
from dialeval.annotation.items import Source
from dialeval.data import Judgement
from dialeval.files.documents import as_json
from dialeval.selection.labelling.labelling import ERROR_CLASSES, labelling_record, settle_labels
from dialeval.selection.vetting.record import vetting_record
from dialeval.selection.vetting.rules import SATO_2020
from dialeval.selection.vetting.vetting import Removal, apply
from support.drafts import question
from support.paths import DOCS

PAGE = (DOCS / "selection-vetting.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)
    exec(compile(code, "selection-vetting.md", "exec"), {})
    printed = capsys.readouterr().out.strip()
    assert f"prints `{printed}`" in PAGE


def test_the_rules_of_the_page_are_the_rules():
    for rule in (
        *(SATO_2020.ground_truth, SATO_2020.acceptable, SATO_2020.ungrammatical),
        *(SATO_2020.surplus, SATO_2020.fewest, SATO_2020.most),
    ):
        assert f"| {rule} |" in PAGE


def test_the_labels_of_the_page_are_the_labels():
    labels = ", ".join(f"`{option.label}`" for option in ACCEPTABILITY.options)
    assert f"or a label: {labels}." in " ".join(PAGE.split())


def test_every_field_of_the_records_is_explained():
    text = (DOCS / "files.md").read_text(encoding="utf-8")
    section = text[text.index("## A vetted set") : text.index("## meta.json")]
    draft = question("q", 1)
    said = [Judgement("q", "false_1", "ana", ERROR_CLASSES.criterion, 1.0)]
    labelled = settle_labels([draft], said, form=ERROR_CLASSES)
    fields = {
        *(one.name for one in fields_of(Source)),
        *Removal._fields,
        *Unusable._fields,
        *as_json(vetting_record(apply(SATO_2020, [draft], []))),
        *as_json(labelling_record(labelled, at_least=2)),
    }
    for field in fields - {"format"}:
        assert f"`{field}`" in section or f'"{field}"' in section, field
