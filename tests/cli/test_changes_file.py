"""`--changes-file` of `es-simhash families run` and `es-simhash sweep`."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash.maintenance.families.dismissals_and_joins import join
from tests.support.shelf import Shelf

pytestmark = pytest.mark.cluster


@pytest.mark.long
def test_the_file_has_one_line_for_each_change(
    shelf: Shelf, texts: dict[str, str], call: Any, tmp_path: Path
) -> None:
    path = tmp_path / "changes.jsonl"
    shelf.put(texts)
    call("families", "run", shelf.name, "--changes-file", path)
    assert path.read_text() == ""
    before = shelf.names()
    join(shelf.client, shelf.name, ["t0-1", "t9-1"])
    done = call("families", "run", shelf.name, "--changes-file", path)
    name = shelf.names()["t9-1"]
    both = sorted([str(before["t0-1"]), str(before["t9-1"])])
    assert f"{', '.join(both)} joined into {name}\n" in done.out
    join(shelf.client, shelf.name, ["t0-1", "t9-1"], undo=True)
    done = call("sweep", shelf.name, "--changes-file", path, "--quiet")
    assert done.status == 0, done
    joined, moved, split, back = (json.loads(line) for line in path.read_text().splitlines())
    assert (joined["change"], joined["families"], joined["into"]) == ("joined", both, name)
    assert (moved["change"], moved["id"], moved["to"]) == ("moved", "t9-1", name)
    assert (split["change"], split["family"]) == ("split", name)
    assert (back["id"], back["from"]) == ("t9-1", name)
    assert {line["index"] for line in (joined, moved, split, back)} == {shelf.name}
    assert all(line["time"] for line in (joined, moved, split, back))


def test_a_file_that_cannot_be_written_stops_the_run_before_it_begins(
    shelf: Shelf, texts: dict[str, str], call: Any, tmp_path: Path
) -> None:
    shelf.put(texts)
    error = call(
        "families", "run", shelf.name, "--changes-file", tmp_path / "no" / "such"
    ).refusal()
    assert "Name another file. Set --changes-file." in error
    assert set(shelf.names().values()) == {None}
    for arguments in (("--dry-run",), ("--all", "--dry-run")):
        call("families", "run", shelf.name, "--changes-file", "x", *arguments).wrong_usage()
