"""Owners and identifiers of documents as evidence, in answers of a real engine."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash import Index, InputError, SearchOptions
from es_simhash.cli.main import cli
from es_simhash.store.installation.document_settings import configure
from tests.support.made_up_texts import make_text, revise

pytestmark = pytest.mark.cluster

NOTICE = make_text(1, 120)
COMPANIES = {"de": "Nordkai AG", "zh": "海潮公司", "ar": "شركة الميناء", "hi": "तटीय लिमिटेड"}
DOCUMENTS: list[dict[str, Any]] = [
    {"id": id, "company": company, "filing": "B-12", "codes": ["x", id]}
    for id, company in COMPANIES.items()
]
MORE: list[dict[str, Any]] = [
    {"id": "de-again", "company": "NORDKAI AG", "filing": "B ١٢", "codes": "y"},
    {"id": "without"},
]


@pytest.fixture
def notices(client: Any, filled: Any) -> Index:
    """An index of notices that are versions of each other, of several companies."""
    name = filled(
        *(
            {**document, "text": revise(NOTICE, number, 0.03)}
            for number, document in enumerate([*DOCUMENTS, *MORE])
        ),
        semantics=None,
    )
    configure(client, name, {"owner": "company", "identifiers": "filing,codes"})
    return Index(client, name)


def sentences(relation: Any) -> list[str]:
    return [each.sentence for each in relation.fields if each.sentence]


def test_answers_say_whether_owner_and_identifiers_agree(notices: Index) -> None:
    found = {relation.id: relation for relation in notices.related(id="de")}
    for id in ("zh", "ar", "hi"):
        assert sentences(found[id]) == [
            f"owner differs: Nordkai AG / {COMPANIES[id]}",
            "filing agrees: B-12",
            "codes agrees: x",
        ]
    assert sentences(found["de-again"]) == [
        "owner agrees: Nordkai AG",
        "filing agrees: B-12",
        "codes differs: x, de / y",
    ]
    assert [each.agreement for each in found["without"].fields] == ["absent"] * 3
    explained = notices.explain("de", "zh")
    assert explained.fields == found["zh"].fields
    assert explained.document == found["zh"].document


def test_a_text_and_an_index_without_such_fields_have_none(client: Any, notices: Index) -> None:
    assert {relation.fields for relation in notices.related(text=NOTICE)} == {()}
    configure(client, notices.name, {"owner": None, "identifiers": None})
    again = Index(client, notices.name)
    assert {relation.fields for relation in again.related(id="de")} == {()}
    assert again.explain("de", "zh").fields == ()


def test_the_command_line_prints_them_and_json_has_them(notices: Index, cluster_url: str) -> None:
    def printed(*arguments: str) -> str:
        result = CliRunner().invoke(cli, [*arguments, "--url", cluster_url])
        assert result.exit_code == 0, result.output
        return result.output

    assert "owner differs: Nordkai AG / 海潮公司\n" in printed("explain", notices.name, "de", "zh")
    assert "owner differs: Nordkai AG / شركة الميناء\n" in printed(
        "related", notices.name, "--id", "de", "--evidence"
    )
    shown = json.loads(printed("explain", notices.name, "de", "hi", "--format", "json"))
    assert shown["fields"][0] == {
        "name": "owner",
        "field": "company",
        "agreement": "differ",
        "query": ["Nordkai AG"],
        "hit": ["तटीय लिमिटेड"],
        "common": [],
    }


def test_a_field_that_no_document_has_is_rejected(client: Any, notices: Index) -> None:
    with pytest.raises(InputError, match=r"a field 'filling'; the nearest .* 'filing'.* Set ident"):
        configure(client, notices.name, {"identifiers": "codes,filling"})


@pytest.fixture
def served(serve: Any, notices: Index) -> Any:
    """Answers of a service that may show the company, and not the identifiers."""
    from es_simhash.service.service_config import ServiceConfig

    return serve(notices.name, ServiceConfig(fields=("company",)))


def test_what_may_not_leave_a_service_is_not_compared_there(served: Any) -> None:
    for path in ("/v1/related/de", "/v1/compare/de/zh"):
        answer = served.get(path)
        assert "filing" not in answer.text
        assert "B-12" not in answer.text
    (relation,) = (
        each for each in served.get("/v1/related/de").json()["relations"] if each["id"] == "zh"
    )
    assert [each["field"] for each in relation["fields"]] == ["company"]
    assert served.get("/v1/compare/de/zh").json()["relation"]["fields"] == relation["fields"]


def test_options_without_context_read_no_fields(notices: Index) -> None:
    options = SearchOptions(context=False)
    assert {relation.fields for relation in notices.related(id="de", options=options)} == {()}
