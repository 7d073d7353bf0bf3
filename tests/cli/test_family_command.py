"""`es-simhash families show` as a user calls it."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.shelf import Shelf, revised, text

pytestmark = pytest.mark.cluster

FIRST = text(1)


@pytest.fixture
def notices(shelf: Shelf) -> Shelf:
    """Three versions, one without a date and one with two, and a quotation."""
    shelf.client.indices.put_mapping(index=shelf.name, properties={"date": {"type": "date"}})
    shelf.write(
        [
            {"id": "n-2020", "text": FIRST, "date": "2020-05-01"},
            {"id": "n-2021", "text": revised(FIRST, 1), "date": ["2021-05-01", "2019-01-01"]},
            {"id": "n-draft", "text": revised(FIRST, 2)},
        ]
    )
    shelf.find()
    shelf.write([{"id": "n-new", "text": revised(FIRST, 3), "date": "2022-05-01"}])
    return shelf


def test_the_table_has_the_members_in_time_and_says_what_was_not_certain(
    notices: Shelf, run: Run, cluster_url: str
) -> None:
    done = run(
        "families", "show", notices.name, "n-2020", "--date-field", "date", "--url", cluster_url
    )
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == f"Family {notices.names()['n-2020']}: 3 documents"
    members, near = done.out.split("Near, and not in the family")
    lines = [line for line in members.splitlines() if line[0] == "│"]
    rows = [line[1:-1].split("│") for line in lines]
    assert [row[1].strip() for row in rows] == ["n-2020", "n-2021", "n-draft"]
    assert [row[0].strip() for row in rows].count("*") == 1
    assert "2021-05-01 " in members
    assert "T00" not in members
    assert "* represents the family" in members
    assert "n-new" in near
    assert "es-simhash families run" in " ".join(near.replace("│", " ").split())
    assert done.err == (
        "1 without a date in date, listed last: n-draft.\n"
        "1 with several dates in date, of which the latest counts: n-2021.\n"
    )


def test_json_has_what_python_returns(notices: Shelf, run: Run, cluster_url: str) -> None:
    from es_simhash import Index

    arguments = ("--date-field", "date", "--newer-than", "2020-12-31", "--format", "json")
    done = run("families", "show", notices.name, "n-2020", *arguments, "--url", cluster_url)
    expected = Index(notices.client, notices.name).family(
        "n-2020", date_field="date", newer_than="2020-12-31"
    )
    found: dict[str, Any] = json.loads(done.out)
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert [member["id"] for member in found["members"]] == ["n-2021"]
    assert (found["documents"], done.err) == (3, "")
    assert (found["undated"], found["several_dates"]) == (["n-draft"], ["n-2021"])


def test_the_configured_date_orders_the_members(notices: Shelf, run: Run, cluster_url: str) -> None:
    from es_simhash.store.installation.document_settings import configure

    configure(notices.client, notices.name, {"date": "date"})
    done = run("families", "show", notices.name, "n-2020", "--url", cluster_url)
    assert "without a date in date" in done.err


def test_errors_name_the_options(notices: Shelf, run: Run, cluster_url: str) -> None:
    def error(*arguments: str) -> str:
        return run("families", "show", notices.name, *arguments, "--url", cluster_url).refusal()

    assert "neither a document nor a family 'x'" in error("x")
    assert "'n-new' has no family yet" in error("n-new")
    late = ("--newer-than", "soon")
    assert error("n-2020", *late).endswith("a field of dates is needed. Set --date-field.\n")
    message = error("n-2020", *late, "--date-field", "date")
    assert message.startswith("Error: --newer-than must be a date that field 'date' can hold")
