"""Opening the index that a command asks."""

from typing import Any

import pytest

from es_simhash import Index
from es_simhash.cli.opened_index import opened
from es_simhash.cli.options import Connection, Target

pytestmark = pytest.mark.cluster


def test_an_index_is_opened_with_the_date_field_that_was_named(
    client: Any, index_name: str, cluster_url: str
) -> None:
    Index(client, index_name).install()
    target = Target(index_name, connection=Connection(url=cluster_url))
    with opened(target) as index:
        assert (index.name, index.config.documents.date) == (index_name, None)
    with opened(target, date="written") as index:
        assert index.config.documents.date == "written"
