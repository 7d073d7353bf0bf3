"""`es-simhash upgrade` says what it would do, what it did, and leads back."""

import uuid
from typing import Any

import pytest

from es_simhash import Index, Scheme
from tests.cli.conftest import Run
from tests.support.made_up_texts import make_text

pytestmark = pytest.mark.cluster

FIRST, NEW = Scheme(blocks=16).name, Scheme().name


@pytest.fixture
def name(client: Any, discard: Any) -> str:
    name = f"test-{uuid.uuid4().hex}"
    discard(name, f"{name}-simhash")
    index = Index(client, name)
    index.install(scheme=FIRST)
    assert all(each.ok for each in index.ingest([{"id": "1", "text": make_text(1, 60)}]))
    client.indices.refresh(index=name)
    return name


def test_an_index_is_moved_shown_and_led_back(call: Run, client: Any, name: str) -> None:
    planned = call("upgrade", name, "--dry-run")
    assert planned.status == 0, planned
    assert planned.out == (
        f"1 document of index '{name}' would be fingerprinted under 'simhash_2' with scheme {NEW};"
        f" then that would count in place of 'simhash' with scheme {FIRST}.\n"
    )
    done = call("upgrade", name, "--quiet")
    assert done.status == 0, done
    assert done.out == (
        f"Index '{name}' has scheme {NEW} under 'simhash_2' in place of {FIRST} under 'simhash': "
        "1 written, 0 with their family or flag carried over, 0 emptied, 0 failed.\n"
    )
    assert call("upgrade", name, "--revert", "--quiet").status == 0
    assert "nothing to revert" in call("upgrade", name, "--revert").refusal()
    assert call("upgrade", name, "--quiet").status == 0
    again = call("upgrade", name, "--quiet", "--finish")
    assert again.out.startswith(f"Index '{name}' has scheme {NEW}: 0 written, 0 with")
    assert "1 emptied" in again.out
    done = call("upgrade", name, "--quiet")
    assert done.out == f"Index '{name}' has scheme {NEW} already; nothing to do.\n"
    assert "has scheme already" not in call("upgrade", name, "--dry-run").out
    for command in (("related", name, "--id", "1"), ("status", name), ("doctor", name)):
        assert call(*command).status == 0, command
    assert "Nothing leads back" in call("upgrade", name, "--revert").refusal()


def test_an_unknown_scheme_is_one_sentence(call: Run, name: str) -> None:
    assert "Unknown scheme 'other'" in call("upgrade", name, "--scheme", "other").refusal()
