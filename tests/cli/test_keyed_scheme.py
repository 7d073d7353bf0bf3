"""An index with a keyed scheme: everything that fingerprints takes the key from one place."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from es_simhash import Index
from es_simhash.cli.main import cli
from es_simhash.fingerprints.chosen_scheme import chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.fingerprints.scheme_keys import KEY_FILE_VARIABLE, KEY_VARIABLE
from es_simhash.service.application import Service
from es_simhash.service.service_config import ServiceConfig
from es_simhash.store.connection import Connection
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster
KEY, OTHER = "3c" * 31 + "01", "3c" * 31 + "02"
Run = Callable[..., Result]


@pytest.fixture
def run(client: Any, cluster_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with the key in a file, as every command of an installation has it."""
    (tmp_path / "key").write_text(KEY + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(KEY_FILE_VARIABLE, str(tmp_path / "key"))
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.setenv("ES_SIMHASH_HOME", str(tmp_path / "home"))

    def runs(*line: str, status: int = 0) -> Result:
        result = CliRunner().invoke(cli, [*line, "--url", cluster_url])
        assert result.exit_code == status, result.output
        assert KEY not in result.output
        return result

    return runs


@pytest.fixture
def keyed(run: Run, index_name: str, tmp_path: Path) -> str:
    """Documents of an index with a key: three versions of a text, and others."""
    first = make_text(1)
    texts = {"a": first, "a2": revise(first, 2), "b": make_text(3), "c": make_text(4)}
    lines = [json.dumps({"id": id, "text": text}) for id, text in texts.items()]
    (tmp_path / "documents.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    run("install", index_name, "--scheme", "keyed")
    run("ingest", index_name, "documents.jsonl", "--processes", "2")
    return index_name


def related(run: Run, index: str, *line: str) -> list[str]:
    (answer,) = json.loads(run("related", index, *line, "--format", "json").output)
    return [hit["id"] for hit in answer["relations"]]


def stored_schemes(client: Any, index: str) -> set[str]:
    client.indices.refresh(index=index)
    hits = client.search(index=index, size=100)["hits"]["hits"]
    return {hit["_source"]["simhash"]["scheme"] for hit in hits}


def test_versions_are_found_and_the_key_is_nowhere(
    run: Run, keyed: str, client: Any, tmp_path: Path
) -> None:
    scheme = chosen_scheme("keyed")
    assert stored_schemes(client, keyed) == {scheme.name}
    assert related(run, keyed, "--id", "a") == ["a2"]
    assert set(related(run, keyed, "--text", revise(make_text(1), 5))) >= {"a", "a2"}
    run("sweep", keyed, "--on-version", "flag")
    run("families", "run", keyed)
    written = [client.indices.get_mapping(index=f"{keyed}*").body]
    written += client.search(index=f"{keyed}*", size=1000)["hits"]["hits"]
    written += [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*")
                if path.is_file() and path.name != "key"]  # fmt: skip
    assert KEY not in json.dumps(written, default=str)


def test_ingest_decides_and_the_service_answers(
    run: Run, keyed: str, client: Any, cluster_url: str, tmp_path: Path
) -> None:
    line = json.dumps({"id": "a3", "text": revise(make_text(1), 6)})
    (tmp_path / "more.jsonl").write_text(line + "\n", "utf-8")
    run("ingest", keyed, "more.jsonl", "--on-version", "flag")
    written = client.get(index=keyed, id="a3").body["_source"]
    assert written["simhash"]["duplicate_of"] in ("a", "a2")
    assert {hit.id for hit in Index(client, keyed).related(id="a")} == {"a2", "a3"}
    from starlette.testclient import TestClient

    service = Service(keyed, Connection(url=cluster_url), ServiceConfig())
    with TestClient(service(), base_url="http://localhost") as web:
        answer = web.post("/v1/related", json={"text": revise(make_text(1), 7)})
        assert {hit["id"] for hit in answer.json()["relations"]} >= {"a", "a2"}


def test_backfill_fills_the_index_and_a_sidecar(run: Run, index_name: str, client: Any) -> None:
    for id, text in {"a": make_text(1), "a2": revise(make_text(1), 2)}.items():
        client.index(index=index_name, id=id, document={"text": text}, refresh=True)
    run("install", index_name, "--scheme", "keyed")
    run("backfill", index_name, "--processes", "2")
    assert stored_schemes(client, index_name) == {chosen_scheme("keyed").name}
    assert related(run, index_name, "--id", "a") == ["a2"]
    run("install", f"{index_name}-near", "--scheme", "keyed", "--create")
    run("backfill", index_name, "--sidecar", f"{index_name}-near")
    assert stored_schemes(client, f"{index_name}-near") == {chosen_scheme("keyed").name}
    assert related(run, f"{index_name}-near", "--id", "a") == ["a2"]


@pytest.mark.variants
@pytest.mark.parametrize("command", ["ingest", "backfill", "sweep", "related"])
@pytest.mark.parametrize("key", [None, OTHER], ids=["none", "another"])
def test_without_the_key_one_sentence_says_so(
    run: Run,
    keyed: str,
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    key: str | None,
) -> None:
    client.index(index=keyed, id="new", document={"text": make_text(8)}, refresh=True)
    line = json.dumps({"id": "more", "text": make_text(9)})
    Path("more.jsonl").write_text(line + "\n", "utf-8")
    monkeypatch.delenv(KEY_FILE_VARIABLE)
    if key is not None:
        monkeypatch.setenv(KEY_VARIABLE, key)
    typed = {
        "ingest": ("ingest", keyed, "more.jsonl"),
        "backfill": ("backfill", keyed),
        "sweep": ("sweep", keyed, "--on-version", "flag"),
        "related": ("related", keyed, "--text", make_text(1)),
    }[command]
    said = run(*typed, status=1).output
    assert "The scheme needs the key with the id" in said
    assert "Traceback" not in said


@pytest.mark.long
def test_an_index_moves_to_a_key_and_to_another_one(
    run: Run, index_name: str, client: Any, tmp_path: Path
) -> None:
    (tmp_path / "documents.jsonl").write_text(
        json.dumps({"id": "a", "text": make_text(1)}) + "\n", "utf-8"
    )
    run("install", index_name)
    run("ingest", index_name, "documents.jsonl")
    run("upgrade", index_name, "--scheme", "keyed", "--finish")
    first = chosen_scheme("keyed").name
    (tmp_path / "key").write_text(f"{OTHER}\n{KEY}\n", "utf-8")
    second = chosen_scheme("keyed").name
    run("upgrade", index_name, "--scheme", "keyed", "--finish")
    assert len({DEFAULT.name, first, second}) == 3
    hit = client.get(index=index_name, id="a").body["_source"]
    assert [each["scheme"] for each in hit.values() if isinstance(each, dict)] == [second]


def test_the_pipeline_says_that_it_cannot(run: Run, keyed: str) -> None:
    said = run("pipeline", "--index", keyed, status=1).output
    assert "The ingest pipeline cannot compute a keyed scheme" in said
