"""Dates of documents that are not written yet: the engine that stores them is the oracle."""

from collections.abc import Sequence
from typing import Any

import pytest

from es_simhash.errors import InputError, MappingConflict
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.installation.date_fields import DateReader
from es_simhash.store.mapped_fields import find_date_field

pytestmark = pytest.mark.cluster

ISO = ["2023", "2023-05", "2023-05-01", "2023-05-01T10", "2023-05-01T10:00:00.5Z", "-0044-03-15",
       "2023-05-01T10:00:00+02:00", "9999", 1682935200500, "1682935200500", -5, 0, 2023,
       1682935200500.75]  # fmt: skip
NANOS = ["2023-05-01T10:00:00.123456789Z", "2023-05-01T10:00:00.1234Z", "1682935200123.456789",
         1682935200123.5, 1682935200123, "2023-05-01",
         "2023-05-01T10:00:00,123456788Z"]  # fmt: skip
CASES: list[tuple[dict[str, Any], Sequence[Any]]] = [
    ({"type": "date"}, ISO),
    ({"type": "date", "format": "yyyy/MM/dd||yyyy||epoch_second"}, ["2023/05/01", "2023", 5, 5.25]),
    ({"type": "date", "format": "d MMM uuuu", "locale": "de"}, ["1 Mai 2023", "24 Mai 2022"]),
    ({"type": "date", "format": "HH:mm"}, ["10:30", "23:59"]),
    ({"type": "date", "format": "strict_week_date"}, ["2023-W01-1", "2020-W53-7"]),
    ({"type": "date_nanos"}, NANOS),
    (
        {"type": "date_nanos", "format": "yyyy/MM/dd HH:mm:ss.SSSSSSSSS"},
        ["2023/05/01 10:00:00.123456789", "2023/05/01 10:00:00.000000001"],
    ),
    ({"type": "long"}, [5, -5, "7", 2**60 + 1]),
    ({"type": "double"}, [5.5, "1e3", -1]),
]


def reader(client: Any, index: str, name: str) -> DateReader:
    gateway = Gateway.of(client)
    mappings = gateway.mappings(index)
    field = find_date_field(mappings, name, parameter="date_field")
    return DateReader.of(gateway, mappings, field, parameter="date_field")


def create(client: Any, index: str, **properties: Any) -> None:
    client.indices.create(index=index, mappings={"properties": properties})


# Elasticsearch 8 warns of names of months, which Java 23 spells differently.
@pytest.mark.variants
@pytest.mark.filterwarnings("ignore:Date format")
@pytest.mark.parametrize(("mapping", "values"), CASES, ids=lambda case: str(case)[:60])
def test_a_date_is_what_the_engine_stores_for_it(
    client: Any, index_name: str, mapping: dict[str, Any], values: Sequence[Any]
) -> None:
    create(client, index_name, when=mapping)
    dates = reader(client, index_name, "when")
    sources = [{"when": value} for value in values]
    sources += [{"when": [*values, None]}, {"when": []}, {"when": None}, {"other": 1}]
    # Read while the index has no document.
    before = dates.read(sources)
    for number, source in enumerate(sources):
        client.index(index=index_name, id=str(number), document=source)
    client.indices.refresh(index=index_name)
    found = client.search(
        index=index_name, size=100, docvalue_fields=[dates.field.requested], source=False
    )["hits"]["hits"]
    stored = {hit["_id"]: dates.field.of_hit(hit) for hit in found}
    assert [each.date for each in before] == [stored[str(n)] for n in range(len(sources))]
    assert [each.fault for each in before] == [None] * len(sources)
    assert [each.date for each in before[-3:]] == [None] * 3


@pytest.mark.parametrize(
    "value", ["yesterday", "2023-13-01", " 2023", "", "now", "2023||+1d", True, {"a": 1}, "x" * 500]
)
def test_what_the_engine_rejects_is_a_fault_of_that_document_alone(
    client: Any, index_name: str, value: Any
) -> None:
    from elasticsearch import BadRequestError

    create(client, index_name, when={"type": "date"})
    with pytest.raises(BadRequestError):
        client.index(index=index_name, document={"when": value})
    good, bad, mixed = reader(client, index_name, "when").read(
        [{"when": "2023"}, {"when": value}, {"when": ["2023", value]}]
    )
    assert (good.date, good.fault) == (1672531200 * 10**9, None)
    for reading in (bad, mixed):
        assert reading.date is None
        assert reading.fault is not None
        assert reading.fault.startswith("Field 'when' has ")
        assert reading.fault.endswith(
            "its mapping (type date, format strict_date_optional_time||epoch_millis) cannot read."
        )
        assert len(reading.fault) < 200


def test_a_batch_costs_one_request(client: Any, index_name: str, requests_of: list[str]) -> None:
    create(client, index_name, when={"type": "date"})
    dates = reader(client, index_name, "when")
    requests_of.clear()
    read = dates.read([{"when": 10**12 + number} for number in range(2500)])
    assert [each.date for each in read] == [(10**12 + number) * 10**6 for number in range(2500)]
    assert dates.read([{}, {"when": None}]) == [(None, None), (None, None)]
    assert requests_of == [f"POST /{index_name}/_msearch"]


def test_names_lead_into_objects_multi_fields_and_through_aliases(
    client: Any, index_name: str
) -> None:
    create(
        client,
        index_name,
        meta={"properties": {"when": {"type": "date"}}},
        raw={"type": "keyword", "fields": {"date": {"type": "date", "format": "yyyy/MM/dd"}}},
        alias={"type": "alias", "path": "meta.when"},
    )
    day = 1682899200 * 10**9
    for name, source in [
        ("meta.when", {"meta": {"when": "2023-05-01"}}),
        ("meta.when", {"meta": [{"when": ["1999", "2023-05-01"]}, {"when": "2001"}, {}]}),
        ("meta.when", {"meta.when": "2023-05-01"}),
        ("raw.date", {"raw": "2023/05/01"}),
        ("alias", {"meta": {"when": "2023-05-01"}}),
    ]:
        dates = reader(client, index_name, name)
        client.index(index=index_name, id="1", document=source, refresh=True)
        found = client.search(index=index_name, docvalue_fields=[dates.field.requested])
        assert dates.field.of_hit(found["hits"]["hits"][0]) == day
        assert dates.read([source]) == [(day, None)]


def test_a_field_that_no_mapping_has_names_the_nearest_field_of_dates(
    client: Any, index_name: str
) -> None:
    create(
        client,
        index_name,
        published={"type": "date"},
        meta={"properties": {"changed": {"type": "date"}}},
        publisher={"type": "keyword"},
    )
    for wrong, nearest in [("publishd", "published"), ("chnged", "meta.changed")]:
        with pytest.raises(InputError) as refused:
            reader(client, index_name, wrong)
        assert str(refused.value) == (
            f"No mapping of {index_name} has a field {wrong!r}; the nearest field of the mapping "
            f"is {nearest!r}. Set date_field."
        )
        assert refused.value.parameter == "date_field"


def test_a_field_that_holds_no_dates_is_refused(client: Any, index_name: str) -> None:
    create(
        client,
        index_name,
        title={"type": "keyword"},
        hidden={"type": "date", "doc_values": False},
        meta={"properties": {"when": {"type": "date"}}},
    )
    for name, reason in [
        ("title", "is mapped as keyword, not as a date"),
        ("meta", "is mapped as object, not as a date"),
        ("hidden", "has no doc values"),
    ]:
        with pytest.raises(MappingConflict, match=f"{name!r}.* {reason}.*Set date_field"):
            reader(client, index_name, name)


def test_indices_that_read_dates_differently_are_refused(client: Any, index_name: str) -> None:
    second = f"{index_name}-2"
    create(client, index_name, when={"type": "date", "format": "dd/MM/yyyy"})
    create(client, second, when={"type": "date", "format": "MM/dd/yyyy"})
    try:
        with pytest.raises(MappingConflict, match=f"in several ways in {index_name}, {second}"):
            reader(client, f"{index_name},{second}", "when")
    finally:
        client.indices.delete(index=second)
