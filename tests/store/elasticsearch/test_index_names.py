"""Which index was probably meant by a name that is none."""

from typing import Any

import pytest

from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.index_names import (
    index_names,
    missing_index_error,
    mistyped_for,
)


@pytest.mark.parametrize(
    ("typed", "name", "is_slip"),
    [
        ("articels", "articles", True),
        ("artcles", "articles", True),
        ("artiicles", "articles", True),
        ("articlas", "articles", True),
        ("Articles", "articles", True),
        ("articles", "articles", False),
        ("news-2025", "news-2024", False),
        ("news-20244", "news-2024", False),
        ("news-de", "news-en", False),
        ("articles-x", "articles", False),
        ("abc", "abd", False),
        ("selcitra", "articles", False),
        ("tickets", "articles", False),
    ],
)
def test_one_letter_is_a_slip_and_a_digit_a_series(typed: str, name: str, is_slip: bool) -> None:
    assert mistyped_for(typed, ["unlike", name]) == (name if is_slip else None)


@pytest.mark.cluster
def test_the_names_are_those_that_a_user_gave(client: Any, index_name: str) -> None:
    for name in (index_name, f"{index_name}-simhash"):
        client.indices.create(index=name)
    client.indices.put_alias(index=index_name, name=f"{index_name}-near")
    names = index_names(Gateway.of(client))
    assert {index_name, f"{index_name}-near"} <= set(names)
    assert f"{index_name}-simhash" not in names
    client.indices.delete_alias(index=index_name, name=f"{index_name}-near")


@pytest.mark.parametrize(
    ("names", "may_create", "sentence"),
    [
        (["articles"], False, "Index 'articels' does not exist. Did you mean 'articles'?"),
        (["articles"], True, "Did you mean 'articles'? Else create it with `es-simhash install ar"),
        (["b", "c"], True, "at http://es:9200. Create it with `es-simhash install articels`."),
        ([], False, "not exist at http://es:9200. Create it with `es-simhash install articels`."),
        (["b", "c"], False, "does not exist at http://es:9200. Name one of b, c."),
        (list("bcdefgh"), False, "Name one of b, c, d, e, f and 2 more."),
    ],
)
def test_the_way_out_is_the_nearest_name_or_what_is_wanted(
    names: list[str], may_create: bool, sentence: str
) -> None:
    class Cluster:
        address = "http://es:9200"

        def once(self, method: str, path: str) -> dict[str, Any]:
            return {"indices": [{"name": name} for name in names]}

    error = missing_index_error(Cluster(), "articels", may_create=may_create)  # type: ignore[arg-type]
    assert sentence in str(error)
