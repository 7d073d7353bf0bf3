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


@pytest.mark.long
def test_a_command_imports_the_client_without_other_http_libraries() -> None:
    code = (
        "import sys; from es_simhash.cli import main;"
        "sys.argv = ['es-simhash', 'related', 'a', '--id', 'b', '--url', 'http://127.0.0.1:1']\n"
        "try:\n  main()\n"
        "except SystemExit as stop:\n  assert stop.code == 1\n"
        "assert 'elasticsearch' in sys.modules\n"
        "print([name for name in ('aiohttp', 'httpx', 'requests') if name in sys.modules])\n"
        "import aiohttp, httpx, requests"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr.startswith("Error: No cluster answers")


@pytest.mark.long
def test_a_program_imports_the_client_as_it_is() -> None:
    code = (
        "import sys; from es_simhash.store.elasticsearch.connection import connect;"
        "assert {'aiohttp', 'httpx', 'requests'} <= sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_json_has_the_forms_of_the_client() -> None:
    assert client.json_value(datetime.date(2024, 2, 29)) == "2024-02-29"
