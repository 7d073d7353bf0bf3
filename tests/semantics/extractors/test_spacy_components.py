"""Our rules in users' own spaCy pipelines."""

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from es_simhash.errors import MissingExtra, install_command
from es_simhash.semantics.entities.entity_rules import find_entities

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")

from es_simhash.semantics.extractors import spacy_components  # noqa: E402
from es_simhash.semantics.extractors.spacy_documents import extraction_of  # noqa: E402
from es_simhash.semantics.extractors.spacy_pipeline import SpacyExtractor  # noqa: E402

if TYPE_CHECKING:
    from spacy.language import Language

TEXT = "The minister met Angela Merkel in Berlin. Later Angela Merkel spoke to Emmanuel Macron."
ENTRY_POINTS = """[spacy_factories]
es_simhash_entities = es_simhash.semantics.extractors.spacy_components:make_entities
es_simhash_concepts = es_simhash.semantics.extractors.spacy_components:make_concepts
"""


def with_rules(*patterns: dict[str, str], language: str = "en") -> "Language":
    nlp = spacy.blank(language)
    if patterns:
        nlp.add_pipe("entity_ruler").add_patterns(list(patterns))
    nlp.add_pipe("es_simhash_entities")
    return nlp


def found_in(nlp: "Language", text: str = TEXT) -> list[tuple[str, str]]:
    return [(each.text, each.label_) for each in nlp(text).ents]


def test_the_rules_find_entities_where_there_are_none() -> None:
    doc = with_rules()(TEXT)
    expected = sorted(span for each in find_entities(TEXT, "en") for span in each.spans)
    assert expected
    assert [(each.start_char, each.end_char) for each in doc.ents] == expected
    assert {each.label_ for each in doc.ents} == {"NAME"}


def test_the_label_is_a_setting() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("es_simhash_entities", config={"label": "PROPER"})
    assert ("Berlin", "PROPER") in found_in(nlp)


def test_entities_that_are_there_already_are_not_overwritten() -> None:
    # One is shorter than what the rules find there, one longer, one equal.
    nlp = with_rules(
        {"label": "SURNAME", "pattern": "Merkel", "id": "m"},
        {"label": "PLACE", "pattern": "in Berlin"},
        {"label": "PERSON", "pattern": "Emmanuel Macron"},
    )
    assert found_in(nlp) == [
        ("Merkel", "SURNAME"),
        ("in Berlin", "PLACE"),
        ("Merkel", "SURNAME"),
        ("Emmanuel Macron", "PERSON"),
    ]
    assert nlp(TEXT).ents[0].ent_id_ == "m"


def test_the_rules_add_what_others_have_not_found() -> None:
    nlp = with_rules({"label": "CITY", "pattern": "Berlin"})
    assert ("Berlin", "CITY") in found_in(nlp)
    assert ("Angela Merkel", "NAME") in found_in(nlp)


def test_components_that_follow_add_theirs() -> None:
    nlp = with_rules()
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "ROLE", "pattern": "minister"}])
    assert ("minister", "ROLE") in found_in(nlp)
    assert ("Berlin", "NAME") in found_in(nlp)


def test_a_pipeline_of_any_language_has_its_language_detected_from_the_text() -> None:
    assert ("Angela Merkel", "NAME") in found_in(with_rules(language="xx"))


@pytest.mark.variants
@pytest.mark.parametrize("text", ["", " ", "\n", "a", "😀 Berlin", "中文", "ABC", "O'Neill's x"])
def test_every_text_passes(text: str) -> None:
    nlp = with_rules()
    nlp.add_pipe("es_simhash_concepts")
    assert nlp(text)._.es_simhash.language == "en"


def test_the_concepts_of_a_document_are_what_the_extractor_gives() -> None:
    nlp = with_rules({"label": "CITY", "pattern": "Berlin"})
    nlp.add_pipe("es_simhash_concepts")
    doc = nlp(TEXT)
    assert doc._.es_simhash == SpacyExtractor(nlp).extract([TEXT])[0]
    assert ("Berlin", "CITY") in [(each.text, each.label) for each in doc._.es_simhash.entities]
    assert doc._.es_simhash.words["minister"] == 1


def test_a_document_with_concepts_can_be_saved_and_read() -> None:
    from spacy.tokens import Doc

    nlp = with_rules()
    nlp.add_pipe("es_simhash_concepts")
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.es_simhash == doc._.es_simhash == extraction_of(doc)


def test_a_pipeline_with_our_components_can_be_saved_and_loaded(tmp_path: Path) -> None:
    nlp = with_rules()
    nlp.add_pipe("es_simhash_concepts")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.pipe_names == ["es_simhash_entities", "es_simhash_concepts"]
    assert found_in(loaded) == found_in(nlp)


@pytest.mark.long
def test_spacy_finds_the_components_by_their_entry_points(tmp_path: Path) -> None:
    described = tmp_path / "named_elsewhere-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: named-elsewhere\nVersion: 1\n"
    )
    (described / "entry_points.txt").write_text(ENTRY_POINTS)
    package = Path(spacy_components.__file__).parents[3]
    program = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(package)!r}]\n"
        "import spacy\n"
        "nlp = spacy.blank('de')\n"
        "nlp.add_pipe('es_simhash_entities')\n"
        "nlp.add_pipe('es_simhash_concepts')\n"
        "assert 'es_simhash' in sys.modules\n"
        f"print(len(nlp({TEXT!r})._.es_simhash.entities))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stderr == ""
    assert int(run.stdout) > 0


def test_without_spacy_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.delitem(sys.modules, "es_simhash.semantics.extractors.spacy_components")
    with pytest.raises(MissingExtra, match=re.escape(install_command("spacy"))):
        import es_simhash.semantics.extractors.spacy_components  # noqa: F401
