"""Every index answers the methods of the protocol, with the same parameters."""

import inspect

import pytest

from es_simhash import AsyncIndex, Index, MemoryIndex, RelatedIndex, SidecarIndex

METHODS = [name for name in vars(RelatedIndex) if not name.startswith("_")]


def parameters(index: type, method: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(index, method)).parameters.values())


@pytest.mark.parametrize("index", [Index, SidecarIndex, MemoryIndex, AsyncIndex])
@pytest.mark.parametrize("method", METHODS)
def test_an_index_takes_what_the_protocol_says(index: type, method: str) -> None:
    assert parameters(index, method) == parameters(RelatedIndex, method)


def test_the_protocol_has_what_an_index_in_memory_answers() -> None:
    assert {"related", "related_to_each", "pages", "explain", "changes"} == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_the_methods_of_an_asynchronous_index_are_awaited(method: str) -> None:
    function = getattr(AsyncIndex, method)
    assert inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
