"""The client's packages are imported when something of them is used, and not before."""

import datetime
import subprocess
import sys

import elasticsearch
import pytest

from es_simhash.store.elasticsearch import client


def test_what_is_used_is_that_of_the_package() -> None:
    assert client.elasticsearch.ApiError is elasticsearch.ApiError
    with pytest.raises(AttributeError):
        client.elasticsearch.no_such_name  # noqa: B018


def test_the_gateway_is_there_without_the_client() -> None:
    code = (
        "import sys; import es_simhash.store.elasticsearch.gateway as module;"
        "print([name for name in ('elasticsearch', 'elastic_transport') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_json_has_the_forms_of_the_client() -> None:
    assert client.json_value(datetime.date(2024, 2, 29)) == "2024-02-29"
