"""An index that was installed where jieba and wordfreq are, read where they are not."""

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash.errors import MissingExtra, install_command
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import IngestSettings
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.diagnostics.examination import examine
from es_simhash.questions.index import Index
from es_simhash.semantics.rarity import WORDFREQ_LANGUAGES
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.store.elasticsearch.connection import connect
from es_simhash.store.installation.install import install
from tests.support.made_up_texts import make_text

PACKAGES = ("jieba", "wordfreq")
HARBOUR = "A gantry crane collapsed at the container terminal of Port Ellery early on Sunday. "
CHINESE = "北京市政府星期日宣布，港口的集装箱码头将在下周重新开放，工人们正在清理倒塌的起重机。"
FRENCH = "Le conseil municipal de la ville a décidé dimanche de rouvrir le port et les quais."
TEXTS = {
    "en-1": HARBOUR + make_text(1, 60),
    "en-2": HARBOUR + make_text(2, 60),
    "zh-1": CHINESE,
    "fr-1": FRENCH,
}
ONE = IngestSettings(processes=1)


def documents(prefix: str = "") -> list[dict[str, str]]:
    return [{"id": f"{prefix}{id}", "text": text} for id, text in TEXTS.items()]


@pytest.fixture(scope="module")
def index(cluster_url: str) -> Iterator[str]:
    for package in PACKAGES:
        pytest.importorskip(package)
    name = "another-machine-of-the-tests"
    with connect(cluster_url) as client:
        client.indices.delete(index=name, ignore_unavailable=True)
        install(client, name, semantics=SemanticScheme("builtin+jieba+wordfreq"))
        assert all(outcome.ok for outcome in ingest(client, name, documents(), settings=ONE))
        client.indices.refresh(index=name)
        yield name
        client.indices.delete(index=name, ignore_unavailable=True)


@pytest.fixture
def without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.cluster
def test_what_needs_no_package_is_answered_alike(
    client: Any, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Index(client, index)
    answers = [here.related(id="en-1"), here.related(text=HARBOUR)]
    assert [hit.id for hit in answers[0]] == ["en-2"]
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    there = Index(client, index)
    assert [there.related(id="en-1"), there.related(text=HARBOUR)] == answers


@pytest.mark.cluster
@pytest.mark.parametrize(("id", "extra"), [("zh-1", "chinese"), ("fr-1", "languages")])
def test_a_text_that_needs_one_is_refused_with_the_command(
    client: Any, index: str, without_packages: None, id: str, extra: str
) -> None:
    for asked in ({"id": id}, {"text": TEXTS[id]}):
        with pytest.raises(MissingExtra, match=re.escape(install_command(extra))):
            Index(client, index).related(**asked)


@pytest.mark.cluster
def test_documents_that_need_one_fail_and_the_rest_is_written(
    client: Any, index: str, without_packages: None
) -> None:
    outcomes = list(ingest(client, index, documents("new-"), settings=ONE))
    failed = {outcome.id: str(outcome.reason) for outcome in outcomes if not outcome.ok}
    assert failed.keys() == {"new-zh-1", "new-fr-1"}
    assert install_command("chinese") in failed["new-zh-1"]
    assert "'fr' need wordfreq" in failed["new-fr-1"]
    assert not client.exists(index=index, id="new-zh-1")
    client.delete(index=index, id="new-en-1")
    client.delete(index=index, id="new-en-2")


@pytest.mark.cluster
def test_backfill_leaves_them_without_fingerprints(
    client: Any, index: str, without_packages: None
) -> None:
    for id in ("en-1", "zh-1"):
        client.index(index=index, id=f"plain-{id}", document={"text": TEXTS[id]}, refresh=True)
    outcomes = {outcome.id: outcome for outcome in backfill(client, index)}
    assert outcomes["plain-en-1"].ok
    assert install_command("chinese") in str(outcomes["plain-zh-1"].reason)
    assert "zh-1" not in outcomes
    for id in ("en-1", "zh-1"):
        client.delete(index=index, id=f"plain-{id}", refresh=True)


@pytest.mark.cluster
def test_doctor_says_what_the_machine_lacks(
    client: Any, index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examine(client, index).absent_extras == ()
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    examination = examine(client, index)
    found = [each for each in examination.findings if "This machine lacks" in each.message]
    assert [each.level for each in found] == ["hint", "hint"]
    assert "'chinese': Chinese texts are refused here" in found[0].message
    assert install_command("languages") in found[1].advice


def test_the_languages_of_wordfreq_are_known_where_it_is_not() -> None:
    wordfreq = pytest.importorskip("wordfreq")
    assert set(wordfreq.available_languages()) == WORDFREQ_LANGUAGES
