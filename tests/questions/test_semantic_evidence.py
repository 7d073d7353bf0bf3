"""Why two texts are near in meaning: what adds to the score, and where it stands."""

import json
from pathlib import Path
from typing import Any

import pytest

from es_simhash import compare
from es_simhash.errors import DocumentMissing, InputError
from es_simhash.relation.thresholds import SCORING
from es_simhash.semantics.semantic_scheme import SemanticScheme
from es_simhash.semantics.semantic_similarity import NearWords
from es_simhash.semantics.shared_concepts import MAX_SHARED_CONCEPTS
from es_simhash.semantics.vocabularies.vocabulary_files import vocabulary_digest
from es_simhash.store.config import IndexConfig
from es_simhash.store.options import SearchOptions

pytestmark = pytest.mark.cluster

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix e: <http://example.org/> .
e:policy a skos:Concept ; skos:prefLabel "monetary policy"@en, "Geldpolitik"@de .
e:rates a skos:Concept ; skos:broader e:policy ;
    skos:prefLabel "interest rate"@en, "Zinsen"@de ; skos:altLabel "bank rate"@en .
e:bank a skos:Concept ; skos:broader e:policy ;
    skos:prefLabel "central bank"@en, "Zentralbank"@de ; skos:altLabel "European Central Bank"@en .
"""
FED = "The bank rate stays where it is, and no one asked the central bank why."


@pytest.fixture
def taxonomy(tmp_path: Path) -> Path:
    pytest.importorskip("rdflib")
    path = tmp_path / "economy.ttl"
    path.write_text(TURTLE, "utf-8")
    return path


@pytest.fixture
def synonyms(tmp_path: Path) -> Path:
    path = tmp_path / "synonyms.txt"
    path.write_text("port, harbour\nZinsen, Leitzins\n", "utf-8")
    return path


def test_what_is_shared_and_the_vectors_add_up_to_the_similarity(
    asked: Any, library_texts: dict[str, str]
) -> None:
    few = many = 0
    for relations in asked.related_to_each(
        list(library_texts), options=SearchOptions(min_score=0.1)
    ).values():
        for each in relations:
            semantics = each.semantics
            told = semantics.concepts + semantics.entities
            assert semantics.similarity == pytest.approx(semantics.vector + told, abs=1e-6)
            parts = sum(shared.contribution for shared in semantics.shared)
            if len(semantics.shared) < MAX_SHARED_CONCEPTS:
                # What is left is that of stop words, which short texts have among their concepts.
                assert parts + semantics.others == pytest.approx(told, abs=0.0005)
                assert -0.005 < semantics.others < 0.05
                few += 1
            else:
                assert parts <= told + 0.005
                many += 1
    assert few
    assert many


def test_chinese_words_within_a_shared_word_are_reported_as_that_word_once() -> None:
    pytest.importorskip("jieba")
    scheme = SemanticScheme("builtin+jieba", language="zh")
    texts = ("北京大学发表关于气候的声明。", "记者在北京大学谈到气候，大学也在变。")
    semantics = compare(*texts, semantics=scheme).semantics
    assert semantics is not None
    shared = [each.text for each in semantics.shared]
    assert {"北京大学", "气候"} <= set(shared)
    assert not {"北京", "大学"} & set(shared)
    told = sum(each.contribution for each in semantics.shared)
    assert told + semantics.others == pytest.approx(semantics.similarity, abs=0.0001)
    # Both have a stop word: it counts, and is not named.
    assert 0 < semantics.others < 0.05


def test_stop_words_are_named_where_two_short_texts_share_nothing_else() -> None:
    alone = compare("What is it that they have here: a crane?", "Is this what they have, a ship?")
    assert alone.semantics is not None
    assert {"what", "they", "have"} <= {each.text.casefold() for each in alone.semantics.shared}
    together = compare("What is a crane?", "Is this what a crane does?").semantics
    assert together is not None
    assert [each.text for each in together.shared] == ["crane"]


def test_shared_entities_are_reported_as_entities_once(asked: Any) -> None:
    shared = asked.explain("bank", "bank-outlook").semantics.shared
    entities = {each.text for each in shared if each.is_entity}
    assert {"Christine Lagarde", "European Central Bank", "Frankfurt"} <= entities
    told = [each.text.casefold() for each in shared]
    assert not {"lagarde", "christine", "european"} & set(told)
    assert {"inflation"} <= set(told)
    # Names first, and what contributes most first among them and among the terms.
    assert list(shared) == sorted(shared, key=lambda each: (not each.is_entity, -each.contribution))


def test_no_neighbour_is_unexplained(asked: Any, library_texts: dict[str, str]) -> None:
    by_vector = 0
    for id, relations in asked.related_to_each(list(library_texts)).items():
        for each in relations:
            if each.kind != "semantic":
                continue
            near = each.semantics.near
            assert each.semantics.shared or near.of_query
            if each.semantics.vector:
                by_vector += 1
                assert near.of_query
                assert near.of_hit
            named = {shared.text for shared in each.semantics.shared}
            for words, text in ((near.of_query, library_texts[id]),
                                (near.of_hit, library_texts[str(each.id)])):  # fmt: skip
                assert all(word.text in text for word in words)
                assert not named & {word.text for word in words}
    assert by_vector


def test_what_is_near_is_the_same_from_either_side(asked: Any) -> None:
    there, back = (
        asked.explain(*pair).semantics
        for pair in (("bank", "bank-outlook"), ("bank-outlook", "bank"))
    )
    assert there.near.of_query
    for ours, theirs in ((there.near.of_query, back.near.of_hit),
                         (there.near.of_hit, back.near.of_query)):  # fmt: skip
        assert [word.text for word in ours] == [word.text for word in theirs]
        assert [word.contribution for word in ours] == pytest.approx(
            [word.contribution for word in theirs], abs=0.001
        )


def test_the_nearest_passages_stand_at_their_offsets_in_both_originals(
    asked: Any, library_texts: dict[str, str]
) -> None:
    seen = set()
    for id, relations in asked.related_to_each(list(library_texts)).items():
        for each in relations:
            if each.kind == "semantic":
                [pair] = each.evidence
                hit = library_texts[str(each.id)]
                assert library_texts[id][pair.query.start : pair.query.end] == pair.query.text
                assert hit[pair.hit.start : pair.hit.end] == pair.hit.text
                assert pair.query.text
                assert pair.hit.text
                seen.add(id.partition("-")[0])
    assert {"harbour", "bank", "de", "zh"} <= seen


def test_of_several_passages_the_nearest_pair_is_shown() -> None:
    about = "Beekeepers harvest honey from their hives when the lime trees flower in June. "
    other = "Trams run every ten minutes between the station and the stadium on match days. "
    near = "When lime trees flower the hives fill with honey, and beekeepers harvest it."
    found = compare(other * 2 + about, near)
    [pair] = found.evidence
    assert "Beekeepers harvest honey" in pair.query.text
    assert "beekeepers harvest it" in pair.hit.text


def test_explaining_tells_the_relation_whatever_its_score(asked: Any) -> None:
    version = asked.explain("harbour", "harbour-revised")
    assert (version.kind, version.id) == ("version", "harbour-revised")
    assert version.evidence
    neighbour = asked.explain("harbour", "harbour-union")
    assert neighbour.kind == "semantic"
    [related] = [each for each in asked.related(id="harbour") if each.id == "harbour-union"]
    assert neighbour.score == pytest.approx(related.score, abs=0.01)
    assert neighbour.evidence == related.evidence
    assert neighbour.semantics.shared == related.semantics.shared


def test_unrelated_documents_are_explained_too(asked: Any) -> None:
    nothing = asked.explain("zh-bank", "hi-farm")
    assert (nothing.kind, nothing.score, nothing.evidence) == ("none", 0.0, ())
    assert nothing.id == "hi-farm"
    little = asked.explain("harbour", "bees")
    assert little.score < 0.3


def test_explaining_asks_for_documents_that_are_there(asked: Any) -> None:
    with pytest.raises(DocumentMissing, match="'nowhere'"):
        asked.explain("harbour", "nowhere")


def test_a_document_explained_with_itself_is_the_same_text(asked: Any) -> None:
    assert asked.explain("bank", "bank").kind == "exact"


def test_evidence_is_left_out_on_request(asked: Any) -> None:
    found = asked.related(id="harbour", options=SearchOptions(evidence=False))
    assert [each.evidence for each in found] == [()] * len(found)
    assert all(each.semantics.shared == () for each in found)
    assert all(each.semantics.near == NearWords() for each in found)
    assert all(each.semantics.similarity > 0 for each in found)


def test_python_and_the_command_line_give_the_same_object(
    run_json: Any, asked: Any, library: str
) -> None:
    told = run_json("explain", library, "bank", "bank-outlook")
    assert told.pop("scoring") == SCORING
    assert told == json.loads(json.dumps(asked.explain("bank", "bank-outlook").to_dict()))
    [told] = run_json("related", library, "--id", "harbour", "--evidence")
    assert told["relations"] == json.loads(
        json.dumps([e.to_dict() for e in asked.related(id="harbour")])
    )


@pytest.fixture
def run_json(cluster_url: str) -> Any:
    """Run a command on the engine and read its JSON."""
    from click.testing import CliRunner

    from es_simhash.cli.main import cli

    def call(*arguments: str) -> Any:
        done = CliRunner().invoke(cli, [*arguments, "--url", cluster_url, "--format", "json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.output)

    return call


# What a vocabulary says


def test_a_taxonomy_names_what_both_are_about_in_each_language(
    client: Any, library: str, taxonomy: Path
) -> None:
    from es_simhash import Index

    index: Any = Index(client, library, IndexConfig(vocabulary=str(taxonomy)))
    [english, *_] = index.explain("bank", "bank-outlook").semantics.shared_vocabulary
    assert "central bank" in english
    about = " ".join(index.explain("de-bank", "de-bank-2").semantics.shared_vocabulary)
    assert "Zentralbank" in about
    found = index.related(id="bank")
    assert {each.id: bool(each.semantics.shared_vocabulary) for each in found}["bank-outlook"]
    plain: Any = Index(client, library)
    assert plain.explain("bank", "bank-outlook").semantics.shared_vocabulary == ()


def test_two_narrower_concepts_meet_in_the_broader_one(taxonomy: Path) -> None:
    one = "Economists discussed how interest rates move prices, wages and rents."
    other = "Economists discussed how a central bank moves prices, wages and rents."
    found = compare(one, other, vocabulary=str(taxonomy))
    assert found.semantics is not None
    assert "monetary policy" in " ".join(found.semantics.shared_vocabulary)


def test_synonyms_name_what_both_are_about(client: Any, library: str, synonyms: Path) -> None:
    from es_simhash import Index

    index: Any = Index(client, library, IndexConfig(vocabulary=str(synonyms)))
    about = index.explain("harbour", "harbour-union").semantics.shared_vocabulary
    assert "port" in " ".join(about)
    assert index.explain("de-bank", "de-bank-2").semantics.shared_vocabulary


def test_a_weighed_vocabulary_brings_texts_of_other_words_nearer(
    indexed: Any, taxonomy: Path
) -> None:
    scheme = SemanticScheme("builtin", "none", vocabulary=vocabulary_digest(str(taxonomy)))
    one, other = "Mortgages follow the bank rate.", "Savers hope that interest rates climb."
    index = indexed({"id": "1", "text": one}, {"id": "2", "text": other},
                   semantics=scheme, vocabulary=taxonomy)  # fmt: skip
    [found] = index.related(id="1", options=SearchOptions(min_score=0))
    assert found.id == "2"
    assert "interest rate" in {each.text for each in found.semantics.shared}
    plain = compare(one, other, semantics=SemanticScheme("builtin", "none"))
    assert plain.score < found.score


def test_an_index_that_weighs_a_vocabulary_wants_that_one(
    client: Any, index_name: str, indexed: Any, taxonomy: Path, synonyms: Path
) -> None:
    from es_simhash import Index
    from es_simhash.ingestion.ingest import ingest

    scheme = SemanticScheme("builtin", "none", vocabulary=vocabulary_digest(str(taxonomy)))
    indexed({"id": "1", "text": FED}, semantics=scheme, vocabulary=taxonomy)
    for given in (None, str(synonyms)):
        with pytest.raises(InputError, match="Set vocabulary"):
            Index(client, index_name, IndexConfig(vocabulary=given)).related(id="1")
    with pytest.raises(InputError, match="Set vocabulary"):
        list(ingest(client, index_name, [{"id": "2", "text": FED}]))
    assert client.count(index=index_name)["count"] == 1


def test_texts_of_nothing_but_stop_words_are_about_nothing() -> None:
    nothing = compare("What is it that they have?", "Is this what they have?").semantics
    assert nothing is None or nothing.similarity == 0
