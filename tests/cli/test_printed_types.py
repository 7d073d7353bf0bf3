"""What commands print as JSON is what docs/output.schema.json says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from es_simhash.cli.printed_types import PRINTED
from scripts.build_output_schema import PLACE, output_schema
from tests.cli.conftest import Run
from tests.support.filled_index import filled_index
from tests.support.made_up_texts import make_text, revise

SCHEMA = json.loads(PLACE.read_text("utf-8"))


def strict(schema: Any) -> Any:
    """Return a schema that allows no other members than those it names."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: strict(value) for name, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        inner["additionalProperties"] = False
        inner["required"] = sorted(schema["properties"])
    return inner


def test_the_published_schema_is_that_of_the_types() -> None:
    assert output_schema() == SCHEMA, "run python -m scripts.build_output_schema"
    assert SCHEMA["commands"].keys() == PRINTED.keys()


def require(command: str, printed: str) -> Any:
    """Check what a command printed, and return it."""
    value = json.loads(printed)
    schema = {**SCHEMA["commands"][command], "$defs": SCHEMA["$defs"]}
    jsonschema.Draft202012Validator(strict(schema)).validate(value)
    return value


@pytest.fixture(scope="module")
def shelf(cluster_url: str) -> Iterator[str]:
    """An index of two families of two, with dates and owners, and a decision."""
    from es_simhash import Index
    from es_simhash.maintenance.families.find_families import find_families

    texts = [make_text(seed, 120) for seed in (1, 2)]
    texts += [revise(text, 3, 0.05) for text in texts]
    documents = [
        {"id": f"d{n}", "text": text, "date": f"2024-01-0{n + 1}", "owner": f"o{n}"}
        for n, text in enumerate(texts)
    ]
    with filled_index(cluster_url, documents) as (client, name):
        find_families(client, name)
        client.indices.refresh(index=name)
        Index(client, name).dismiss("d0", "d1")
        yield name


COMMANDS: list[tuple[str, list[str]]] = [
    ("related", ["related", "INDEX", "--id", "d0", "--id", "d1", "--evidence"]),
    ("related", ["related", "INDEX", "--id", "d0", "--group", "kind"]),
    ("explain", ["explain", "INDEX", "d0", "d2"]),
    ("changes", ["changes", "INDEX", "d0", "d2"]),
    ("blame", ["blame", "INDEX", "d0", "--date-field", "date"]),
    ("copies", ["copies", "INDEX", "--between", "owner.keyword", "--date-field", "date"]),
    ("config", ["config", "INDEX"]),
    ("status", ["status", "INDEX", "--no-size"]),
    ("families run", ["families", "run", "INDEX", "--all", "--dry-run"]),
    ("families list", ["families", "list", "INDEX"]),
    ("families show", ["families", "show", "INDEX", "d0", "--date-field", "date"]),
    ("families decisions", ["families", "decisions", "INDEX"]),
    ("ingest", ["ingest", "INDEX", "new.jsonl", "--on-version", "skip", "--dry-run"]),
    ("ingest", ["ingest", "INDEX", "new.jsonl", "--on-version", "skip"]),
]


@pytest.mark.long
@pytest.mark.cluster
def test_each_command_prints_what_the_schema_says(shelf: str, call: Run, tmp_path: Path) -> None:
    text = revise(make_text(1, 120), 9, 0.03)
    document = json.dumps({"id": "new", "text": text, "date": "2024-02-01"})
    (tmp_path / "new.jsonl").write_text(document, "utf-8")
    for command, words in COMMANDS:
        words = [shelf if word == "INDEX" else word for word in words]
        done = call(*words, "--format", "json")
        assert done.status == 0, done
        assert require(command, done.out)
    done = call("undo", shelf, f"{shelf}.audit.jsonl", "--format", "json")
    assert len(require("undo", done.out)["runs"]) == 1
    lines = call("pairs", shelf, "--quiet").out.splitlines()
    assert [require("pairs", line)["kind"] for line in lines]


def test_files_are_compared_as_the_schema_says(run: Run, tmp_path: Path) -> None:
    for name, text in (("a.txt", make_text(1, 60)), ("b.txt", revise(make_text(1, 60), 2, 0.1))):
        (tmp_path / name).write_text(text, "utf-8")
    files = (tmp_path / "a.txt", tmp_path / "b.txt")
    assert require("files compare", run("files", "compare", *files, "--format", "json").out)
    changes = run("files", "compare", *files, "--changes", "--format", "json")
    assert require("changes", changes.out)
