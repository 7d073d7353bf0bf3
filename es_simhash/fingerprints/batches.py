"""Texts in batches of the size that is fingerprinted fastest."""

from collections.abc import Iterable, Iterator

# As many as are fingerprinted fastest (docs/performance.md).
BATCH_CHARACTERS = 200_000


def text_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in batches of about the size that is fingerprinted fastest."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += len(text)
        if characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
