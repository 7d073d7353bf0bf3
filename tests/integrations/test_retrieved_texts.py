"""What a retriever of any library returns."""

from collections.abc import Callable
from typing import Any

import pytest

from es_simhash import Index, InputError, SearchOptions
from es_simhash.integrations.retrieved_texts import TextRetrieval
from tests.integrations.conftest import QUERY, RULES

pytestmark = pytest.mark.cluster


def test_a_text_has_what_is_known_of_its_document_and_the_fields_that_are_wanted(
    rules: Index,
) -> None:
    options = SearchOptions(size=1, fields=("pages",))
    (dogs,) = TextRetrieval(rules, "wording", options).texts(RULES["dogs"])
    assert (dogs.id, dogs.text, dogs.score) == ("dogs", RULES["dogs"], 1.0)
    assert dogs.metadata == {
        "id": "dogs",
        "index": rules.name,
        "kind": "exact",
        "score": 1.0,
        "reason": "the same text",
        "title": "Dogs",
        "pages": 1,
    }
    (both,) = TextRetrieval(rules, "name,wording", SearchOptions(size=1)).texts(RULES["dogs"])
    assert both.text == f"Dogs\n\n{RULES['dogs']}"


def test_an_index_to_be_awaited_is_named_where_nothing_waits(awaited: Callable[..., Any]) -> None:
    async def blocked(index: Any) -> None:
        TextRetrieval(index, "wording").texts(QUERY)

    with pytest.raises(InputError, match="has to be awaited"):
        awaited(blocked)


def test_a_field_without_text_is_named(rules: Index) -> None:
    with pytest.raises(InputError, match=r"has no field 'body'. Set text_field\."):
        TextRetrieval(rules, "body").texts(QUERY)
