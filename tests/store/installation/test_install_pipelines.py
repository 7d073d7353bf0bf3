"""spaCy pipelines by path: what the mapping stores works from every folder, or is refused."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from es_simhash.errors import InputError, MissingExtra, SchemeError
from es_simhash.semantics.profiler import semantic_profiler
from es_simhash.semantics.semantic_scheme import SemanticScheme

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")
TEXT = "Ada Lovelace wrote to Charles Babbage about the Analytical Engine."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the folder of a pipeline, `model`."""
    folder = tmp_path / "here"
    folder.mkdir()
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Ada Lovelace"}])
    nlp.to_disk(folder / "model")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.cluster
@pytest.mark.parametrize("typed", ["spacy:./model", "spacy:../here/model", "spacy:~/here/model"])
def test_a_relative_path_works_from_another_folder(
    client: Any,
    index_name: str,
    cluster_url: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(cli, [*arguments, "--url", cluster_url])

    monkeypatch.setenv("HOME", str(here.parent))
    first = run("install", index_name, "--extractor", typed, "--vectors", "none")
    assert first.exit_code == 0, first.output
    meta = client.indices.get_mapping(index=index_name)[index_name]["mappings"]["_meta"]
    assert meta["es_simhash"]["simhash"]["semantics"]["extractor"] == f"spacy:{here}/model"

    monkeypatch.chdir(here.parent / "elsewhere")
    Path("a.jsonl").write_text(f'{{"id": "1", "text": "{TEXT}"}}\n', "utf-8")
    done = run("ingest", index_name, "a.jsonl", "--quiet")
    assert done.exit_code == 0, done.output
    stored = client.get(index=index_name, id="1")["_source"]["simhash"]
    assert stored["entities"] == ["Ada Lovelace"]
    again = run("install", index_name, "--extractor", "spacy:../here/model", "--vectors", "none")
    assert "nothing to do" in again.output

    # On another machine the folder may be missing: no request is made with other entities.
    (here / "model").rename(here / "moved")
    semantic_profiler.cache_clear()
    missing = run("related", index_name, "--id", "1")
    assert missing.exit_code == 1
    assert missing.stderr.count("\n") == 1
    assert f"'{here}/model' of a spaCy pipeline does not exist on this machine" in missing.stderr
    assert "python -m spacy package" in missing.stderr


def test_a_folder_without_a_slash_is_refused(here: Path) -> None:
    with pytest.raises(InputError, match=r"write 'spacy:\./model'"):
        semantic_profiler(SemanticScheme("spacy:model", "none"))
    with pytest.raises(MissingExtra, match="'other' is not installed"):
        semantic_profiler(SemanticScheme("spacy:other", "none"))


def test_a_relative_path_in_a_mapping_is_refused(here: Path) -> None:
    scheme = SemanticScheme("spacy:./model", "none")
    assert SemanticScheme.from_meta(scheme.to_meta()) == scheme
    with pytest.raises(SchemeError, match=r"stores 'spacy:\./model', a path"):
        SemanticScheme.from_meta({**scheme.to_meta(), "extractor": "spacy:./model"})
