"""What is kept of candidates: forgetting it changes nothing but what is read again."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from es_simhash.maintenance.families import candidate_texts, find_families, link_graph
from es_simhash.maintenance.families.family_reader import FamilyReader
from es_simhash.pairs.document_families import families_in_memory
from es_simhash.store.rows import Place

pytestmark = pytest.mark.cluster


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("size", [1 << 40, 1])
def test_families_are_the_same_whatever_was_forgotten(
    shelf: Any,
    texts: dict[str, str],
    revise: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    size: int,
) -> None:
    monkeypatch.setattr(find_families, "READS_PER_SEARCH", 0)
    monkeypatch.setattr(link_graph, "_QUERIES", 2)
    monkeypatch.setattr(candidate_texts, "_STORED_BYTES", size)
    monkeypatch.setattr(candidate_texts, "_COMPARED_BYTES", size)
    read: list[Place] = []
    at = FamilyReader.at

    def counted(reader: FamilyReader, places: Sequence[Place]) -> Any:
        read.extend(places)
        return at(reader, places)

    monkeypatch.setattr(FamilyReader, "at", counted)
    shelf.put(texts)
    shelf.find()
    new = {f"{id}-new": revise(text, 5) for id, text in texts.items()}
    shelf.put(new)
    shelf.find()
    assert shelf.families() == {
        frozenset(family) for family in families_in_memory({**texts, **new})
    }
    # What is remembered is read once in a run.
    assert (len(read) > len(set(read))) is (size > 1)
