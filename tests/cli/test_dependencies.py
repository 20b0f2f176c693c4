"""What is installed: licences, an SBOM, and vulnerabilities where pip-audit is."""

from __future__ import annotations

import json
from email.message import Message
from importlib import metadata

import pytest

from dialeval.cli import doctor
from dialeval.cli.doctor import audit, licence_of


def test_the_list_has_what_dialeval_asks_for_and_what_that_asks_for():
    found = {each.name: each for each in doctor.dependencies()}
    assert found["numpy"].version == metadata.version("numpy")
    assert "dialeval" in found["numpy"].needed_by
    assert "pydantic" in found["pydantic-core"].needed_by
    assert "BSD" in found["jinja2"].licence
    assert list(found) == sorted(found)


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ([("License-Expression", "MIT OR Apache-2.0"), ("License", "other")], "MIT OR Apache-2.0"),
        ([("Classifier", "License :: OSI Approved :: MIT License")], "MIT License"),
        ([("License", "BSD\n\nCopyright ...")], "BSD"),
        ([("Classifier", "License :: OSI Approved")], "unknown"),
    ],
)
def test_licences_come_from_expressions_classifiers_or_fields(fields, licence):
    class Made(metadata.Distribution):
        def read_text(self, filename):
            message = Message()
            for name, value in fields:
                message[name] = value.replace("\n", "\n ")
            return message.as_string()

        def locate_file(self, path):
            return path

    assert licence_of(Made()) == licence


def test_the_sbom_names_every_component_once_and_only_known_ones(dialeval, tmp_path):
    done = dialeval("doctor", "--sbom", "sbom.json")
    assert done.code == 0, done.err
    content = json.loads((tmp_path / "sbom.json").read_text())
    assert (content["bomFormat"], content["specVersion"]) == ("CycloneDX", "1.5")
    references = [component["bom-ref"] for component in content["components"]]
    assert len(set(references)) == len(references) > 20
    assert f"pkg:pypi/numpy@{metadata.version('numpy')}" in references
    known = {*references, content["metadata"]["component"]["bom-ref"]}
    assert {row["ref"] for row in content["dependencies"]} == known
    assert {name for row in content["dependencies"] for name in row["dependsOn"]} <= known
    first = (tmp_path / "sbom.json").read_bytes()
    assert dialeval("doctor", "--sbom", "sbom.json").code == 0
    assert (tmp_path / "sbom.json").read_bytes() == first


def test_licences_are_listed_and_vulnerabilities_where_something_can_tell(dialeval, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    monkeypatch.setattr(doctor.sys, "executable", "/nowhere/python")
    done = dialeval("doctor", "--licences")
    assert done.code == 0, done.err
    assert f"numpy {metadata.version('numpy')}\t" in done.out
    assert "pip-audit is not installed" in done.out
    told = json.loads(dialeval("doctor", "--licences", "--json").out)
    assert {each["name"] for each in told["dependencies"]} >= {"numpy", "jinja2", "pyarrow"}
    assert told["vulnerabilities"] == []


def test_the_answer_of_pip_audit_is_read(tmp_path, monkeypatch):
    program = tmp_path / "pip-audit"
    answer = {
        "dependencies": [{"name": "old", "version": "1", "vulns": [{"id": "PYSEC-1"}]}, {"name": "new"}]
    }
    program.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(doctor.sys, "executable", str(tmp_path / "python"))
    assert audit().vulnerabilities == ("old 1: PYSEC-1",)
    program.write_text("#!/bin/sh\necho no network\n")
    assert audit().absence == "pip-audit gave no answer (it needs the network)"
