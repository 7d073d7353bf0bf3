"""What is too much for one document, refused before it costs memory."""

from es_simhash.errors import InputError

MEBIBYTE = 1 << 20
LONGEST_TEXT = 16 * MEBIBYTE
# 20,000 sentences are a book of a thousand pages.
MOST_CHUNKS = 20_000


def within_limit(text: str) -> str:
    """Return the text back when it is not too long to be fingerprinted.

    Raises:
        InputError: It has more than 16 MiB.
    """
    # A character has at most four bytes, so that short texts need no second look.
    if len(text) * 4 > LONGEST_TEXT:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > LONGEST_TEXT:
            raise InputError(
                f"The text has {size / MEBIBYTE:.1f} MiB, more than the {LONGEST_TEXT // MEBIBYTE} "
                "that are fingerprinted; split it into parts."
            )
    return text


def chunk_refusal(count: int) -> str | None:
    """Return the sentence that refuses a text of so many chunks, or None when it is accepted."""
    if count <= MOST_CHUNKS:
        return None
    return f"The text has {count} chunks, and at most {MOST_CHUNKS} are possible; split it."


def require_few_chunks(count: int) -> None:
    """Refuse a text of too many chunks.

    Raises:
        InputError: It has more than 20,000.
    """
    refusal = chunk_refusal(count)
    if refusal is not None:
        raise InputError(refusal)
