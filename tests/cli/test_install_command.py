"""`es-simhash install` of a name that is nearly that of another index."""

import io
import string
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from es_simhash.cli import install_command

pytestmark = pytest.mark.cluster


@pytest.fixture
def names(client: Any) -> Iterator[tuple[str, str]]:
    """An index that is there, and its name with two letters exchanged."""
    letters = "".join(string.ascii_lowercase[digit % 26] for digit in uuid.uuid4().bytes)
    index = f"install-{letters}ab"
    client.indices.create(index=index)
    typed = f"{index[:-2]}ba"
    yield index, typed
    client.indices.delete(index=[index, typed], ignore_unavailable=True)


def test_without_a_terminal_it_is_refused(call: Any, client: Any, names: tuple[str, str]) -> None:
    index, typed = names
    sentence = call("install", typed).refusal()
    assert sentence == (
        f"Error: Index {typed!r} does not exist, but {index!r} does. Name that, or add --create.\n"
    )
    assert not client.indices.exists(index=typed)
    assert "PUT" in call("install", typed, "--dry-run").out
    assert call("install", typed, "--create").status == 0
    assert client.indices.exists(index=typed)
    assert call("install", typed).status == 0


@pytest.mark.parametrize(("answer", "is_created"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_terminal_is_asked(
    call: Any,
    client: Any,
    names: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    is_created: bool,
) -> None:
    index, typed = names
    monkeypatch.setattr(install_command, "_is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    done = call("install", typed)
    assert f"{index!r} does. Create {typed!r} [y/N]" in done.out
    assert (done.status == 0) is is_created
    assert client.indices.exists(index=typed).body is is_created


def test_of_an_index_that_is_made_no_documents_are_read(
    call: Any, client: Any, index_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(
        install_command, "_propose", lambda client, index, field: read.append(index)
    )
    name = f"{index_name}-港口"
    try:
        assert call("install", name, "--create").status == 0
        assert read == []
        assert call("install", name).status == 0
        assert read == [name]
    finally:
        client.indices.delete(index=name, ignore_unavailable=True)
