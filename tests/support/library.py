"""A small library of texts about a few subjects, in an index and in memory."""

import textwrap
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS
from es_simhash.store.config import IndexConfig

HARBOUR = (
    "Dock workers in Saltwick walked out on Monday after talks over pay broke down. The harbour "
    "authority said container ships would be diverted to Northport, and the union, led by Marion "
    "Hale, warned that the strike could last for weeks."
)
TEXTS = {
    "harbour": HARBOUR,
    "harbour-revised": HARBOUR.replace("for weeks", "until Easter"),
    "harbour-union": (
        "A strike has closed the port of Saltwick. According to Marion Hale of the dock workers' "
        "union, nobody returns to the harbour before wages rise; shipping companies send every "
        "container vessel on to Northport instead."
    ),
    "harbour-history": (
        "Saltwick grew rich on herring. Its harbour was dug by hand, and for two centuries dock "
        "families unloaded ships there before the first container crane arrived."
    ),
    "bank": (
        "The European Central Bank raised interest rates by a quarter point. Christine Lagarde "
        "told reporters in Frankfurt that inflation remains too high."
    ),
    "bank-outlook": (
        "Economists expect inflation in the euro zone to fall. Christine Lagarde will explain in "
        "Frankfurt why the European Central Bank leaves interest rates where they are."
    ),
    "bees": (
        "Beekeepers on the roofs of the old town harvest honey twice a summer, because lime trees "
        "and gardens flower for longer than the fields outside."
    ),
    "de-bank": (
        "Die Europäische Zentralbank hat die Zinsen erhöht. Christine Lagarde sagte in Frankfurt, "
        "die Inflation sei noch immer zu hoch, und die Geldpolitik bleibe deshalb streng."
    ),
    "de-bank-2": (
        "In Frankfurt wird über Zinsen gestritten: Die Zentralbank will die Inflation drücken, "
        "während Kritiker ihrer Geldpolitik eine Rezession fürchten."
    ),
    "zh-bank": "中国人民银行宣布下调利率，以支持经济增长。专家认为通货膨胀仍然温和。",
    "zh-bank-2": "专家预计，为了支持经济增长，中国人民银行今年还会再次下调利率。",
    "ar-port": "أعلن عمال ميناء الإسكندرية الإضراب عن العمل احتجاجا على الأجور المنخفضة.",
    "ar-port-2": "توقفت السفن أمام ميناء الإسكندرية بسبب إضراب العمال من أجل الأجور.",
    "hi-farm": "किसानों ने दिल्ली में गेहूं के समर्थन मूल्य की मांग को लेकर प्रदर्शन किया।",
    "hi-farm-2": "गेहूं का समर्थन मूल्य बढ़ाने के लिए हजारों किसान दिल्ली पहुंचे।",
    "ja-train": "新幹線は台風の影響で東京と大阪の間の運転を見合わせた。",
    "ja-train-2": "台風が近づき、東京から大阪へ向かう新幹線の運休が決まった。",
    "th-rice": "ชาวนาไทยเรียกร้องให้รัฐบาลช่วยเหลือเรื่องราคาข้าวตกต่ำ",
    "th-rice-2": "เมื่อข้าวราคาตก รัฐบาลจึงต้องช่วยชาวนาไทยและซื้อข้าวเก็บไว้",
}


def fill(
    client: Any, index: str, *documents: dict[str, Any], vocabulary: Path | None = None,
    **installing: Any,
) -> None:  # fmt: skip
    """Install the fields and ingest documents; each must be taken."""
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.config import IndexConfig
    from es_simhash.store.installation.install import install

    install(client, index, **installing)
    path = None if vocabulary is None else str(vocabulary)
    config = IndexConfig(text_field="text", vocabulary=path)
    outcomes = ingest(client, index, documents, config=config)
    assert [each for each in outcomes if not each.ok] == []
    client.indices.refresh(index=index)


@pytest.fixture(scope="session")
def library_texts() -> dict[str, str]:
    """The texts of the library by their ids; the language is before the first hyphen."""
    return TEXTS


@pytest.fixture(scope="session")
def library(cluster_url: str) -> Iterator[str]:
    """Name of an index that holds the library; tests leave it as it is."""
    from es_simhash.store.elasticsearch.connection import connect

    name = f"test-{uuid.uuid4().hex}"
    with connect(cluster_url) as client:
        documents = ({"id": id, "text": text, "shelf": id[:2]} for id, text in TEXTS.items())
        fill(client, name, *documents, semantics=DEFAULT_SEMANTICS)
        yield name
        client.indices.delete(index=name)


@pytest.fixture
def asked(client: Any, library: str) -> Any:
    """The library, to be asked."""
    from es_simhash import Index

    return Index(client, library)


@pytest.fixture
def indexed(client: Any, index_name: str) -> Callable[..., Any]:
    """Make an index of these documents and give it, to be asked."""
    from es_simhash import Index

    def make(*documents: dict[str, Any], **installing: Any) -> Any:
        fill(client, index_name, *documents, **installing)
        path = installing.get("vocabulary")
        return Index(client, index_name, IndexConfig(vocabulary=path and str(path)))

    return make


@pytest.fixture
def embedding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Make a module with a function `embed(texts)` of this body; gives `python:module:embed`."""

    def make(body: str) -> str:
        module = f"embedding_{uuid.uuid4().hex}"
        lines = textwrap.indent(textwrap.dedent(body), "    ")
        (tmp_path / f"{module}.py").write_text(f"def embed(texts):\n{lines}\n", "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return f"python:{module}:embed"

    return make
