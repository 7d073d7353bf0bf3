"""Limits on one document, checked before it costs memory."""

from es_simhash.errors import InputError

MEBIBYTE = 1 << 20
MAX_TEXT_BYTES = 16 * MEBIBYTE
# 20,000 sentences are a book of a thousand pages.
MAX_CHUNKS = 20_000


def require_text_size(text: str) -> str:
    """Return the text unchanged when it is short enough to be fingerprinted.

    Raises:
        InputError: It has more than 16 MiB.
    """
    if is_too_long(text):
        raise InputError(
            f"The text has {_size(text) / MEBIBYTE:.1f} MiB, more than the "
            f"{MAX_TEXT_BYTES // MEBIBYTE} that are fingerprinted; split it into parts."
        )
    return text


def is_too_long(text: str) -> bool:
    """Check whether a text is too long to be fingerprinted."""
    # A character has at most four bytes, so short texts need not be encoded.
    return len(text) * 4 > MAX_TEXT_BYTES and _size(text) > MAX_TEXT_BYTES


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def chunk_limit_error(count: int) -> str | None:
    """Return the error message for a text of too many chunks; None when the count is accepted."""
    if count <= MAX_CHUNKS:
        return None
    return f"The text has {count} chunks, and at most {MAX_CHUNKS} are possible; split it."


def require_chunk_count(count: int) -> None:
    """Check that a text does not have too many chunks.

    Raises:
        InputError: It has more than 20,000.
    """
    message = chunk_limit_error(count)
    if message is not None:
        raise InputError(message)
