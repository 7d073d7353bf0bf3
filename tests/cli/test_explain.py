"""`es-simhash explain`, `install` and `related` as far as they print semantic features."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS

pytestmark = pytest.mark.cluster

# ESC, CSI of one character, right-to-left override, bell.
STEERING = "\x1b[31m\x9b2J\u202e\x07"
BANK = (
    "The European Central Bank raised interest rates by a quarter point. Christine Lagarde told "
    "reporters in Frankfurt that inflation remains too high."
)
OUTLOOK = (
    "Economists expect inflation in the euro zone to fall. Christine Lagarde will explain in "
    "Frankfurt why the European Central Bank leaves interest rates where they are."
)
BEES = "Beekeepers on the roofs of the old town harvest honey when the lime trees flower."
WIRE = (
    "FRANKFURT (Wire) - Inflation in the euro zone slowed in March, a first estimate showed, "
    "which gives the European Central Bank room to lower interest rates before the summer. Most "
    "analysts had expected prices to rise faster, above all those of energy and of food. "
)


# Two texts about one thing in each of some languages, with inflections, names and units.
TEXTS = {
    "en": (
        "Kansas City raised taxes by $5bn. Charles Rowe said the policies of the Digital "
        "Millennium Copyright Act had failed the libraries.",
        "Libraries in Kansas City fear taxes of $3bn, and policies that Charles Rowe calls a "
        "failed reading of the Digital Millennium Copyright Act.",
    ),
    "de": (
        "Die Zentralbank erhöht die Zinsen. Christine Lagarde sprach in Köln über 5 Mio Euro.",
        "In Köln warnte Christine Lagarde vor höheren Zinsen der Zentralbank und 3 Mio Euro.",
    ),
    "zh": (
        "北京大学发表关于气候变化的声明，专家认为海平面会上升。",
        "记者在北京大学谈到气候变化，海平面上升使专家担心。",
    ),
    "ar": (
        "يفتح الميناء أبوابه صباحا وترفع الرافعة الحاويات من السفينة",
        "أغلق الميناء بعد سقوط الرافعة على السفينة وبقيت الحاويات",
    ),
    "hi": (
        "बंदरगाह सुबह खुलता है और क्रेन जहाज से कंटेनर उठाती है।",
        "क्रेन गिरने के बाद बंदरगाह बंद हुआ और जहाज बाहर खड़े रहे।",
    ),
}


@pytest.fixture
def call(run: Any, cluster_url: str) -> Callable[..., Any]:
    """Run a command on the engine."""
    return lambda *arguments: run(*arguments, "--url", cluster_url)


@pytest.fixture
def index(client: Any, index_name: str) -> str:
    """Two texts about one thing, a version of the first, and one about another."""
    fill(client, index_name, a=BANK, b=OUTLOOK, v=BANK.replace("too high", "high"), bees=BEES)
    return index_name


def fill(client: Any, index: str, **texts: str) -> None:
    from es_simhash.ingestion.ingest import ingest
    from es_simhash.store.installation.install import install

    install(client, index)
    documents = ({"id": id, "text": text} for id, text in texts.items())
    assert all(each.ok for each in ingest(client, index, documents))
    client.indices.refresh(index=index)


def require_sum(out: str) -> None:
    """Check that the parts of a printed similarity add up to it, and what it scores is printed."""
    similarity, parts, score = re.findall(r"similarity (0\.\d\d) = ([^,]*), score (0\.\d\d)", out)[
        0
    ]
    numbers = [float(number) for number in re.findall(r"0\.\d\d", parts)]
    assert f"{sum(numbers):.2f}" == similarity
    assert f"score {score}" in out or f"score of {score}" in out
    # The terms add up to what is said of all of them.
    for name in ("shared entities", "shared terms"):
        listed = re.search(rf"{name}: (.*?)(?= shared| similarity)", out)
        total = re.search(rf"{name} (0\.\d\d)", parts)
        assert (listed is None) == (total is None)
        if listed is not None and total is not None:
            terms = [float(number) for number in re.findall(r" (0\.\d\d)", listed[1])]
            assert f"{sum(terms):.2f}" == total[1]


def is_harmless(shown: str) -> bool:
    return all(character == "\n" or character.isprintable() for character in shown)


# explain


def test_a_neighbour_is_explained_in_words(call: Any, index: str) -> None:
    done = call("explain", index, "a", "b")
    assert (done.status, done.err) == (0, "")
    out = " ".join(done.out.split())
    assert "a is a semantic neighbour of b" in out
    assert "semantic, score 0." in out
    assert "shared entities: " in out
    assert "Christine Lagarde" in out
    require_sum(out)
    assert "vectors 0." in out


def test_words_behind_the_vectors_and_places_are_printed(
    call: Any, client: Any, index_name: str
) -> None:
    dockers = (
        "Back to work in Rotterdam\n\nThe crews of all ships went back to the quays on Monday."
    )
    port = (
        "Calm in port\n\nFreighters unload containers in Rotterdam again, and the crews are back."
    )
    fill(client, index_name, a=dockers, b=port)
    out = " ".join(call("explain", index_name, "a", "b").out.split())
    assert re.search(r"shared entities: Rotterdam 0\.\d\d \(title of query\)", out)
    near = re.search(r"near words: (.*?) \(query\); (.*?) \(hit\)", out)
    assert near is not None
    ours, theirs = (words.split(", ") for words in near.groups())
    assert {"ships"} <= set(ours) <= set(re.findall(r"\w+", dockers)) - {"Rotterdam", "crews"}
    assert {"port"} <= set(theirs) <= set(re.findall(r"\w+", port)) - {"Rotterdam", "crews"}
    require_sum(out)


def test_a_version_and_what_is_unrelated_are_explained_too(call: Any, index: str) -> None:
    out = call("explain", index, "a", "v").out
    assert "a is a version of v" in out
    assert "of A appears in B" in out
    (line,) = re.findall("evidence of versions, in log-odds: ([^;]*); sum", " ".join(out.split()))
    added = re.findall(r"(.*?) ([+-]\d+\.\d)(?:, |$)", line)
    assert added[0][0] == "before any evidence"
    log_odds = json.loads(call("explain", index, "a", "v", "--format", "json").out)["log_odds"]
    shown = sorted(f"{value:+.1f}" for value in log_odds.values() if round(value, 1))
    assert sorted(value for _, value in added) == shown
    done = call("explain", index, "a", "bees", "--format", "json")
    assert done.status == 0
    told = json.loads(done.out)
    assert told["score"] < 0.3
    assert (told["kind"], told["evidence"]) == ("none", [])


@pytest.mark.parametrize("language", TEXTS)
def test_terms_are_printed_as_the_texts_write_them(
    call: Any, client: Any, index_name: str, language: str
) -> None:
    one, other = TEXTS[language]
    fill(client, index_name, a=one, b=other)
    out = " ".join(call("explain", index_name, "a", "b").out.split())
    require_sum(out)
    printed = [
        term.rpartition(" ")[0]
        for line in re.findall(r"shared (?:terms|entities): (.*?)(?= shared| similarity)", out)
        for term in line.split(", ")
    ]
    assert len(printed) > 1
    for term in printed:
        # Whole words, where there are spaces between them.
        pattern = re.escape(term)
        if language != "zh":
            pattern = rf"(?<!\S){pattern}(?![^\s.,।])"
        assert re.search(pattern, f"{one} {other}"), term


def test_what_is_not_related_is_said_in_a_sentence(call: Any, client: Any, index_name: str) -> None:
    fill(
        client,
        index_name,
        crane="The harbour crane collapsed as gusts swept the coast, and the herring boats stayed.",
        cake="Grandmother fries herring, and the children count stars. Nobody knows who wrote the "
        "letters that lie under the table, nor why the cat sleeps on them.",
        bees=BEES,
    )
    done = call("explain", index_name, "crane", "cake")
    out = " ".join(done.out.split())
    assert done.status == 0
    assert out.startswith("crane is not related to cake. Their score of 0.")
    assert "too low for a relation; they share no passage, and only this: shared" in out
    assert "herring 0." in out
    require_sum(out)
    # No passages side by side: none is shared.
    assert "Grandmother" not in out
    assert "0–" not in out
    out = " ".join(call("explain", index_name, "crane", "bees").out.split())
    assert "they share no passage, and no term or entity of weight." in out


def test_the_parts_in_json_add_up(call: Any, client: Any, index_name: str) -> None:
    fill(client, index_name, a=BANK, b=OUTLOOK, w=WIRE)
    for one, other in (("a", "b"), ("b", "w"), ("a", "w")):
        told = json.loads(call("explain", index_name, one, other, "--format", "json").out)
        parts = told["semantics"]
        shared = sum(each["contribution"] for each in parts["shared"])
        assert parts["vector"] + shared + parts["others"] == pytest.approx(parts["similarity"])
        assert told["score"] == parts["score"]
        assert not any(each["text"].startswith("@") for each in parts["shared"])


def test_the_json_of_an_explanation_is_one_relation(call: Any, index: str) -> None:
    told = json.loads(call("explain", index, "a", "b", "--format", "json").out)
    assert (told["id"], told["kind"], told["index"]) == ("b", "semantic", index)
    assert told["semantics"]["shared"]
    assert BANK[told["evidence"][0]["query"]["start"] :].startswith(
        told["evidence"][0]["query"]["text"]
    )


def test_what_cannot_be_explained_is_refused(call: Any, index: str, client: Any) -> None:
    assert "'nowhere'" in call("explain", index, "a", "nowhere").refusal()
    client.index(index=index, id="bare", document={"title": "No text"}, refresh=True)
    assert "no text in field 'text'" in call("explain", index, "a", "bare").refusal()
    assert call("explain", index, "a", "b", "--text-field", "body").refusal()
    assert call("explain", f"{index}-absent", "a", "b").refusal()
    assert call("explain", index, "a").status == 2
    assert call("explain", index, "a", "b", "--vocabulary", "/nowhere.ttl").status == 2


def test_an_explanation_steers_no_terminal(call: Any, client: Any, index_name: str) -> None:
    fill(client, index_name, a=f"{BANK} {STEERING} Frankfurt", b=f"{STEERING} {OUTLOOK}")
    for form in ("table", "json"):
        done = call("explain", index_name, "a", "b", "--format", form)
        assert done.status == 0
        assert is_harmless(done.out), ascii(done.out)


# related


def test_related_shows_versions_and_neighbours(call: Any, index: str) -> None:
    done = call("related", index, "--id", "a", "--evidence")
    assert (done.status, done.err) == (0, "")
    assert "version" in done.out
    assert "semantic" in done.out
    assert "is a semantic neighbour of" in " ".join(done.out.split())
    assert "bees" not in done.out
    found = json.loads(call("related", index, "--id", "a", "--evidence", "--kind", "semantic",
                            "--format", "json").out)  # fmt: skip
    assert [each["id"] for each in found[0]["relations"]] == ["b"]


def test_copies_are_counted_and_shown_on_request(call: Any, client: Any, index_name: str) -> None:
    copies = {f"w{n}": f"{WIRE} Paper {n}." for n in range(4)}
    fill(client, index_name, query=OUTLOOK, **copies)
    options = ("related", index_name, "--id", "query", "--evidence")
    found = json.loads(call(*options, "--format", "json").out)
    assert [each["copies"] for each in found[0]["relations"]] == [3]
    assert "and 3 more versions of it" in " ".join(call(*options).out.split())
    found = json.loads(call(*options, "--no-collapse", "--format", "json").out)
    assert {each["id"] for each in found[0]["relations"]} == set(copies)


def test_a_field_of_dates_that_holds_none_is_refused(call: Any, client: Any, index: str) -> None:
    assert "text" in call("related", index, "--id", "a", "--recency", "text").refusal()
    client.indices.put_mapping(index=index, properties={"when": {"type": "date"}})
    misspelt = call("related", index, "--id", "a", "--recency", "wen").refusal()
    assert "the nearest field of the mapping is 'when'. Set --recency." in misspelt
    assert call("related", index, "--id", "a", "--recency", "when").status == 0
    for wrong in (("--recency-half-life", "0"), ("--recency-weight", "2")):
        assert call("related", index, "--id", "a", "--recency", "when", *wrong).status == 2


# install


def semantics_of(client: Any, index: str) -> Any:
    from es_simhash.store.elasticsearch.gateway import Gateway
    from es_simhash.store.elasticsearch.store import ElasticsearchStore

    return ElasticsearchStore(Gateway(client), index).config.semantics


def test_install_sets_the_default_semantic_scheme(call: Any, client: Any, index_name: str) -> None:
    assert call("install", index_name).status == 0
    assert semantics_of(client, index_name) == DEFAULT_SEMANTICS
    assert "nothing to do" in call("install", index_name).out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--no-semantics"], None),
        (["--extractor", "builtin"], {"extractor": "builtin"}),
        (["--vectors", "none"], {"vectors": "none"}),
        (["--language", "de"], {"language": "de"}),
        (["--entity-field", "a", "--entity-field", "b.c"], {"entity_fields": ("a", "b.c")}),
    ],
)
def test_install_takes_what_is_read_from_the_texts(
    call: Any, client: Any, index_name: str, options: list[str], expected: Any
) -> None:
    assert call("install", index_name, *options).status == 0
    found = semantics_of(client, index_name)
    if expected is None:
        assert found is None
    else:
        assert {name: getattr(found, name) for name in expected} == expected
    # Who names nothing leaves it, and gets the rest where there was no meaning at all.
    assert call("install", index_name).status == 0
    assert semantics_of(client, index_name) == (found or DEFAULT_SEMANTICS)


def test_install_on_an_index_of_a_program_changes_nothing(
    call: Any, client: Any, index: str
) -> None:
    assert "nothing to do" in call("install", index).out


@pytest.mark.parametrize(
    "options",
    [
        ["--extractor", "magic"],
        ["--extractor", "spacy:no_such_pipeline"],
        ["--vectors", "glove"],
        ["--vectors", "field:absent"],
        ["--vectors", "python:no_such_module:embed", "--dims", "16"],
        ["--vectors", "python:json:dumps", "--dims", "12"],
        ["--dims", "64"],
    ],
)
def test_install_refuses_in_one_sentence_and_creates_nothing(
    call: Any, client: Any, index_name: str, options: list[str]
) -> None:
    assert call("install", index_name, *options).refusal()
    assert not client.indices.exists(index=index_name)


def test_install_refuses_another_semantic_scheme_than_there_is(call: Any, index: str) -> None:
    assert "Set --simhash-field." in call("install", index, "--vectors", "none").refusal()
    assert call("install", index, "--vectors", "none", "--simhash-field", "other").status == 0
