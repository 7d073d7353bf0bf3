"""One label file for `es-simhash lab label` and the explorer of `es-simhash serve --labels`."""

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from es_simhash.lab.evaluation.labelled_pairs import read_pairs
from es_simhash.service.config_file import read_configuration
from tests.support.label_forms import form, open_page, send
from tests.support.pages import Page

pytestmark = pytest.mark.cluster


def test_the_pairs_are_those_of_the_command_in_the_same_order(
    label_client: Any,
    call: Any,
    labelled_index: str,
    label_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"s\n" * 3)))
    done = call("lab", "label", labelled_index, "--labels", str(label_file))
    sides = re.findall(r"^left:  (\S+).*\nright: (\S+)", done.out, re.MULTILINE)[:3]
    source = open_page(label_client)
    for one, other in sides:
        pair = "/".join(sorted((one, other)))
        fields = form(source)
        assert fields["pair"] == pair
        # The older one is A.
        assert source.index(f"documents/{one}") < source.index(f"documents/{other}")
        answer = send(label_client, {**fields, "answer": "skip"})
        assert answer.status_code == 303
        source = open_page(label_client, answer.headers["location"])
    assert not label_file.exists()


def test_a_label_is_written_and_undone_and_the_command_goes_on(
    label_client: Any,
    call: Any,
    labelled_index: str,
    label_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = open_page(label_client)
    first = form(source)
    assert "es-simhash lab evaluate" in Page(source).words
    assert f"{label_file} --index {labelled_index}" in Page(source).words
    answer = send(label_client, first)
    source = open_page(label_client, answer.headers["location"])
    second = form(source, "not")
    assert second["pair"] != first["pair"]
    source = open_page(label_client, send(label_client, second).headers["location"])
    pairs = [tuple(each["pair"].split("/")) for each in (first, second)]
    assert read_pairs(label_file).labels == {pairs[0]: True, pairs[1]: False}
    assert "2 of" in Page(source).words
    assert "1 version, 1 other" in Page(source).words
    undone = send(label_client, form(source, "undo"))
    assert read_pairs(label_file).labels == {pairs[0]: True}
    assert form(open_page(label_client, undone.headers["location"]))["pair"] == second["pair"]

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"n\nq\n")))
    done = call("lab", "label", labelled_index, "--labels", str(label_file))
    assert done.status == 0, done
    assert read_pairs(label_file).labels == {pairs[0]: True, pairs[1]: False}
    assert "2 of" in Page(open_page(label_client)).words


def test_the_configuration_and_the_command_name_the_file(
    call: Any, tenants: str, tmp_path: Path
) -> None:
    config = tmp_path / "service.toml"
    config.write_text('labels = "pairs.tsv"', "utf-8")
    assert read_configuration(config).labels == tmp_path / "pairs.tsv"
    (tmp_path / "wrong.csv").write_text("a,b,maybe\n", "utf-8")
    done = call("serve", tenants, "--check", "--labels", str(tmp_path / "wrong.csv"))
    assert "line 1: label 'maybe' is unknown" in done.refusal()
    assert "Set --labels." in call("serve", tenants, "--check", "--labels", "/no/x").refusal()
    assert call("serve", tenants, "--check", "--labels", str(tmp_path / "new.tsv")).status == 0
    assert not (tmp_path / "new.tsv").exists()
