"""SKOS taxonomies: what is read of them, what is told of strange ones, what is refused."""

import json
import logging
import re
import socket
import sys
from pathlib import Path

import pytest

from es_simhash.errors import InputError, MissingExtra, install_command
from es_simhash.semantics.vocabularies.shared_vocabulary import common_concepts
from es_simhash.semantics.vocabularies.taxonomy import cycles, read_taxonomy
from es_simhash.semantics.vocabularies.vocabulary import Vocabulary
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary

rdflib = pytest.importorskip("rdflib")

SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
HEAD = f"@prefix skos: <{SKOS}> .\n@prefix : <urn:t:> .\n"
TURTLE = (
    HEAD
    + """
:scheme a skos:ConceptScheme ; skos:prefLabel "Everything"@en .
:policy a skos:Concept ; skos:prefLabel "monetary policy"@en, "Geldpolitik"@de ;
    skos:narrower :rates .
:rates a skos:Concept ; skos:prefLabel "interest rates"@en, "Zinsen"@de ;
    skos:altLabel "cost of credit"@en-GB ; skos:hiddenLabel "intrest rates"@en ;
    skos:broaderTransitive :scheme .
:banks a skos:Concept ; skos:prefLabel "central banks"@en, "Zentralbank"@de ;
    skos:broader :policy .
"""
)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Fail whatever asks for a connection."""

    def refuse(*_args, **_kwargs):
        pytest.fail("a connection was asked for")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, name: str = "taxonomy.ttl") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read(write):
    def read(content: str | bytes, name: str = "taxonomy.ttl", language: str = "en") -> Vocabulary:
        return read_taxonomy(write(content, name), language)

    return read


def _ids(vocabulary: Vocabulary, text: str, language: str = "en") -> set[str]:
    return {found.id for found in vocabulary.find(text, language)}


def _as(kind: str) -> str:
    return rdflib.Graph().parse(data=TURTLE, format="turtle").serialize(format=kind)


def test_labels_of_every_kind_are_looked_for_and_the_preferred_one_is_shown(read):
    vocabulary = read(TURTLE)
    for text in ("interest rates", "the cost of credit", "intrest rates"):
        assert [each.label for each in vocabulary.find(text, "en")] == [
            "interest rates",
            "monetary policy",
        ]
    assert [each.label for each in vocabulary.find("Zinsen", "de")] == ["Zinsen", "Geldpolitik"]


def test_broader_and_narrower_are_one_link_and_transitive_ones_are_not_read(read):
    concepts = read(TURTLE).concepts
    assert concepts["urn:t:rates"].broader == concepts["urn:t:banks"].broader == ("urn:t:policy",)


def test_the_scheme_is_no_concept(read):
    assert set(read(TURTLE).concepts) == {"urn:t:policy", "urn:t:rates", "urn:t:banks"}


def test_a_sound_taxonomy_has_no_problems(read):
    assert read(TURTLE).problems == ()


@pytest.mark.parametrize(
    ("kind", "suffixes"),
    [("turtle", ["ttl"]), ("xml", ["rdf", "xml", "owl"]), ("json-ld", ["jsonld", "json"])],
)
def test_each_format_gives_the_same_by_suffix_and_by_content(write, kind, suffixes):
    expected = read_taxonomy(write(TURTLE, "expected.ttl"))
    content = _as(kind)
    for suffix in suffixes:
        assert load_vocabulary(write(content, f"a.{suffix}")) == expected
    assert read_taxonomy(write(content, "a.download")) == expected


def test_json_ld_that_names_its_graph_is_read(read):
    document = {
        "@context": {"skos": SKOS, "pref": {"@id": "skos:prefLabel", "@container": "@language"}},
        "@id": "urn:graph",
        "@graph": [
            {"@id": "urn:a", "@type": "skos:Concept", "pref": {"en": "steel", "de": "Stahl"}}
        ],
    }
    vocabulary = read(json.dumps(document), "a.jsonld")
    assert _ids(vocabulary, "Stahl", "de") == _ids(vocabulary, "steel") == {"urn:a"}


def test_names_without_a_base_do_not_depend_on_the_working_directory(read):
    vocabulary = read(f'@prefix skos: <{SKOS}> . <#a> skos:prefLabel "steel"@en .')
    assert set(vocabulary.concepts) == {"urn:taxonomy#a"}


def test_decay_and_levels_reach_the_vocabulary(write):
    vocabulary = read_taxonomy(write(TURTLE), decay=0.25, levels=1)
    weights = {each.id: each.weight for each in vocabulary.find("interest rates", "en")}
    assert weights == {"urn:t:rates": 1, "urn:t:policy": 0.25}


def test_a_cycle_is_reported_once_and_tolerated(read):
    vocabulary = read(
        HEAD
        + ':a skos:prefLabel "alpha"@en ; skos:broader :b .'
        + ':b skos:prefLabel "beta"@en ; skos:broader :c .'
        + ':c skos:prefLabel "gamma"@en ; skos:broader :a ; skos:narrower :b .'
    )
    (problem,) = vocabulary.problems
    assert "circle" in problem
    assert {"'urn:t:a'", "'urn:t:b'", "'urn:t:c'"} <= set(re.findall(r"'[^']+'", problem))
    assert _ids(vocabulary, "alpha") == {"urn:t:a", "urn:t:b", "urn:t:c"}


def test_a_concept_broader_than_itself_is_reported_and_the_link_left_out(read):
    vocabulary = read(HEAD + ':a skos:prefLabel "alpha"@en ; skos:broader :a .')
    assert vocabulary.concepts["urn:t:a"].broader == ()
    (problem,) = vocabulary.problems
    assert "'urn:t:a' is broader than itself" in problem


def test_two_ways_up_are_no_cycle():
    assert not list(cycles({"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ()}))


def test_each_of_two_cycles_is_found():
    found = list(cycles({"a": ("b", "c"), "b": ("a",), "c": ("d",), "d": ("c",)}))
    assert sorted(map(sorted, found)) == [["a", "b"], ["c", "d"]]


def test_a_very_deep_hierarchy_is_walked():
    deep = {str(place): (str(place + 1),) for place in range(50_000)} | {"50000": ("0",)}
    (way,) = cycles(deep)
    assert len(way) == 50_001


def test_several_preferred_labels_of_a_language_are_reported_and_all_matched(read):
    vocabulary = read(HEAD + ':a skos:prefLabel "steel"@en, "iron alloy"@en, "Stahl"@de .')
    (problem,) = vocabulary.problems
    assert "'urn:t:a' has 2 preferred labels in en" in problem
    assert _ids(vocabulary, "steel") == _ids(vocabulary, "iron alloys") == {"urn:t:a"}


def test_the_label_of_the_plain_language_comes_before_that_of_a_region(read):
    vocabulary = read(HEAD + ':a skos:prefLabel "aluminium"@en, "aluminum"@en-US .')
    assert vocabulary.problems == ()
    assert vocabulary.find("aluminum", "en")[0].label == "aluminium"


def test_a_concept_without_label_in_the_wanted_language_is_reported_and_falls_back(read):
    vocabulary = read(HEAD + ':a skos:prefLabel "Bundestag"@de . :b skos:prefLabel "steel"@en .')
    (problem,) = vocabulary.problems
    assert "'urn:t:a' has no label in en" in problem
    assert "'Bundestag'" in problem
    assert vocabulary.find("The Bundestag", "en")[0].label == "Bundestag"


def test_a_language_that_no_concept_has_is_reported_in_one_sentence(read):
    vocabulary = read(TURTLE, language="fr")
    assert vocabulary.problems == ("No concept has a label in fr: those in de, en are used.",)
    assert _ids(vocabulary, "Zinsen", "fr")


def test_a_concept_without_any_label_is_reported_and_keeps_its_place(read):
    vocabulary = read(
        HEAD + ':a skos:prefLabel "steel"@en ; skos:broader :b . '
        ':b a skos:Concept ; skos:broader :c . :c skos:prefLabel "economy"@en .'
    )
    (problem,) = vocabulary.problems
    assert "'urn:t:b' has no label" in problem
    assert _ids(vocabulary, "steel") == {"urn:t:a", "urn:t:b", "urn:t:c"}


def test_a_link_to_what_is_not_in_the_file_is_reported(read):
    vocabulary = read(HEAD + ':a skos:prefLabel "steel"@en ; skos:broader :gone .')
    assert vocabulary.concepts["urn:t:a"].broader == ()
    (problem,) = vocabulary.problems
    assert "'urn:t:gone' is no concept of the file" in problem


def test_a_label_of_ten_kilobytes_is_left_out_and_reported(read):
    vocabulary = read(HEAD + f':a skos:prefLabel "steel"@en ; skos:altLabel "{"x" * 10240}"@en .')
    (problem,) = vocabulary.problems
    assert "10240 characters" in problem
    assert len(problem) < 300
    assert vocabulary.concepts["urn:t:a"].labels == {"en": ("steel",)}


def test_dots_quotes_and_control_characters_in_labels_are_handled(read):
    vocabulary = read(
        HEAD
        + r':a skos:prefLabel "St. \"John\'s\" Co."@en ; '
        + r'skos:altLabel "mone\u0007tary\npolicy"@en ; '
        + r' skos:altLabel "\u0000 \u200b"@en .'
    )
    (problem,) = vocabulary.problems
    assert "empty label" in problem
    assert vocabulary.concepts["urn:t:a"].labels["en"] == ('St. "John\'s" Co.', "monetary policy")
    assert vocabulary.find("at St. John's Co. today", "en")[0].label == 'St. "John\'s" Co.'
    assert Vocabulary.from_json(vocabulary.to_json()) == vocabulary


def test_a_concept_name_of_ten_kilobytes_is_kept_and_cut_in_messages(read):
    name = "urn:" + "x." * 5120
    vocabulary = read(HEAD + f'<{name}> skos:prefLabel "steel"@en ; skos:altLabel " "@en .')
    assert set(vocabulary.concepts) == {name}
    assert all(len(problem) < 200 for problem in vocabulary.problems)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ttl", HEAD + ":a skos:prefLabel ."),
        ("a.ttl", "[" * 100_000),
        ("a.rdf", "<rdf:RDF"),
        ("a.rdf", ""),
        ("a.rdf", f'<rdf:RDF xmlns:rdf="{RDF}"><rdf:li/></rdf:RDF>'),
        ("a.jsonld", "{"),
        ("a.jsonld", "[" * 100_000),
        ("a.jsonld", '{"@context": 1}'),
        ("a.jsonld", '{"@context": {"@vocab": 1, "x": {"@id": []}}, "x": 1}'),
    ],
)
def test_a_file_that_is_not_in_its_format_is_refused_in_one_sentence(read, name, content):
    with pytest.raises(InputError) as raised:
        read(content, name)
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_what_a_file_holds_is_not_logged(read, caplog):
    logging.getLogger("rdflib.term").setLevel(logging.NOTSET)
    names = f'xmlns:rdf="{RDF}" xmlns:skos="{SKOS}"'
    label = "<skos:prefLabel>steel</skos:prefLabel>"
    concept = f'<skos:Concept rdf:about="urn:a#a b">{label}</skos:Concept>'
    read(f"<rdf:RDF {names}>{concept}</rdf:RDF>", "a.rdf")
    assert caplog.records == []


def test_a_line_that_is_not_turtle_is_named(read):
    with pytest.raises(InputError, match=r"taxonomy\.ttl, line 4, is not Turtle"):
        read(HEAD + '\n:a skos:prefLabel "steel" "iron" .\n')


@pytest.mark.parametrize("name", ["a.ttl", "a.jsonld"])
def test_a_byte_that_is_not_utf8_is_named_with_its_line(read, name):
    with pytest.raises(InputError, match=rf"{name}, line 2: byte 0xe9 is not UTF-8"):
        read(b'\n"caf\xe9"', name)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.ttl", HEAD), ("a.jsonld", "{}"), ("a.rdf", f'<rdf:RDF xmlns:rdf="{RDF}"/>')],
)
def test_a_file_without_labels_is_refused(read, name, content):
    with pytest.raises(InputError, match="no SKOS concept with a label"):
        read(content, name)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.ttl cannot be read: No such file"):
        load_vocabulary(tmp_path / "none.ttl")


REMOTE = "http://localhost:9/context.jsonld"


@pytest.mark.parametrize(
    "context",
    [
        REMOTE,
        "other.jsonld",
        "file:///etc/hosts",
        [{"skos": SKOS}, REMOTE],
        {"@import": REMOTE},
        [{"@import": REMOTE, "skos": SKOS}],
        {"skos": SKOS, "a": {"@id": "skos:prefLabel", "@context": REMOTE}},
        {"skos": SKOS, "a": {"@id": "skos:prefLabel", "@context": [[REMOTE]]}},
    ],
)
def test_a_context_outside_the_file_is_refused(read, context):
    inline = {"@context": context, "@id": "urn:a", "a": "steel"}
    for document in (inline, [{"skos": [inline]}]):
        with pytest.raises(InputError, match=r"a\.jsonld refers to the context"):
            read(json.dumps(document), "a.jsonld")


def _xml(doctype: str, label: str) -> str:
    return (
        f'<?xml version="1.0"?>{doctype}<rdf:RDF xmlns:rdf="{RDF}" xmlns:skos="{SKOS}">'
        f'<skos:Concept rdf:about="urn:a"><skos:prefLabel xml:lang="en">{label}</skos:prefLabel>'
        "</skos:Concept></rdf:RDF>"
    )


def test_an_entity_that_names_a_file_is_refused(read, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    doctype = f'<!DOCTYPE r [<!ENTITY e SYSTEM "file://{tmp_path}/secret.txt">]>'
    with pytest.raises(InputError, match="entity 'e' outside of it, which is not opened"):
        read(_xml(doctype, "steel &e;"), "a.rdf")


def test_a_parameter_entity_is_refused(read):
    doctype = '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://localhost:9/p.dtd"> %p;]>'
    with pytest.raises(InputError, match="entity 'p'"):
        read(_xml(doctype, "steel"), "a.rdf")


def test_a_document_type_outside_the_file_is_refused(read):
    with pytest.raises(InputError, match="document type outside of it"):
        read(_xml('<!DOCTYPE r SYSTEM "http://localhost:9/r.dtd">', "steel"), "a.rdf")


def test_entities_that_grow_are_refused(read):
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE r [<!ENTITY e0 "steel">{levels}]>'
    long = f'<!DOCTYPE r [<!ENTITY e9 "{"steel" * 1000}">]>'
    hidden = '<!DOCTYPE r [<!ENTITY e0 "steel"><!ENTITY e9 "&#38;e0;&#38;e0;">]>'
    for doctype in (bomb, long, hidden):
        with pytest.raises(InputError, match="grows when it is put in"):
            read(_xml(doctype, "&e9;"), "a.rdf")


def test_entities_that_shorten_name_spaces_are_read(read):
    vocabulary = read(_xml('<!DOCTYPE r [<!ENTITY s "steel">]>', "raw &s;"), "a.rdf")
    assert _ids(vocabulary, "raw steel") == {"urn:a"}


def test_xml_in_another_encoding_is_read(read):
    text = _xml("", "café").replace('"1.0"', '"1.0" encoding="iso-8859-1"')
    assert _ids(read(text.encode("latin-1"), "a.rdf"), "a café") == {"urn:a"}


def test_without_rdflib_the_install_command_is_named(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("taxonomy"))):
        read_taxonomy(write(TURTLE))


def test_chinese_labels_are_read_and_found(read):
    vocabulary = read(
        HEAD
        + ':p skos:prefLabel "货币政策"@zh-Hans . '
        + ':r skos:prefLabel "利率"@zh-Hans ; skos:broader :p .',
        language="zh",
    )
    assert vocabulary.problems == ()
    assert [each.label for each in vocabulary.find("上调利率", "zh")] == ["利率", "货币政策"]


@pytest.fixture(scope="module")
def media_topics(data_dir):
    return load_vocabulary(data_dir / "skos_iptc_mediatopics" / "medtop.ttl")


@pytest.fixture(scope="module")
def stw(data_dir):
    return load_vocabulary(data_dir / "skos_stw" / "stw.ttl")


def _facts(folder: Path) -> dict[str, dict]:
    lines = (folder / "concepts.jsonl").read_text("utf-8").splitlines()
    return {fact["id"]: fact for fact in map(json.loads, lines)}


def _spaced(label: str) -> str:
    return " ".join(label.split())  # some labels of the thesaurus hold two spaces


def test_media_topics_are_read_with_their_hierarchy(media_topics, data_dir):
    facts = _facts(data_dir / "skos_iptc_mediatopics")
    read = media_topics.concepts
    assert {f"urn:medtop:{id}" for id in facts} == set(read)
    for id, fact in facts.items():
        concept = read[f"urn:medtop:{id}"]
        assert concept.preferred == fact["pref"]
        assert set(concept.broader) == {f"urn:medtop:{each}" for each in fact["broader"]}


def test_narrower_media_topics_show_the_broader_one_in_common(media_topics):
    # The file: natural disaster is broader than earthquake and than volcanic eruption.
    a = media_topics.find("Earthquakes shook the coast", "en")
    b = media_topics.find("After the volcanic eruption", "en")
    assert common_concepts(a, b)[0].sentence() == (
        "shared concept: natural disaster, through earthquake / volcanic eruption"
    )


def test_the_thesaurus_for_economics_is_read_in_both_languages(stw, data_dir):
    facts = _facts(data_dir / "skos_stw")
    assert len(stw.concepts) == len(facts) == 6243
    assert stw.languages == ("de", "en")
    for id, fact in facts.items():
        concept = stw.concepts[f"urn:stw:{id}"]
        assert concept.preferred == {tag: _spaced(label) for tag, label in fact["pref"].items()}
        assert set(concept.broader) == {f"urn:stw:{each}" for each in fact["broader"]}
        for tag, labels in fact["alt"].items():
            assert set(map(_spaced, labels)) <= set(concept.labels[tag])


def test_a_synonym_of_the_thesaurus_is_found_in_both_languages(stw):
    # urn:stw:10002-4: Order processing (Order fulfillment), Auftragsabwicklung (Kommissionierung).
    (english,) = [each for each in stw.find("Order fulfillments", "en") if each.count]
    (german,) = [each for each in stw.find("Die Kommissionierung", "de") if each.count]
    assert english.id == german.id == "urn:stw:10002-4"
    assert (english.label, german.label) == ("Order processing", "Auftragsabwicklung")


def test_texts_in_two_languages_share_a_concept_of_the_thesaurus(stw):
    a, b = stw.find("Order picking", "en"), stw.find("Auftragsmanagement", "de")
    assert common_concepts(a, b)[0].sentence() == (
        "shared concept: Order processing, through Order processing / Auftragsabwicklung"
    )


def test_narrower_terms_of_the_thesaurus_show_the_broader_one_in_common(stw):
    # The file: Monetary policy is broader than Open market operations and Reserve requirements,
    # and so is a category of the same name, which is not told too.
    a = stw.find("open market operations", "en")
    b = stw.find("Die Mindestreservesatz genannte Quote", "de")
    (shared,) = common_concepts(a, b)
    assert shared.sentence() == (
        "shared concept: Monetary policy, through Open market operations / Mindestreserve"
    )


def test_the_kept_form_of_the_thesaurus_is_the_same(stw):
    assert Vocabulary.from_json(stw.to_json()) == stw
