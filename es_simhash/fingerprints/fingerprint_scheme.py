"""Fingerprint schemes: all parameters of a fingerprint, published under one name.

A scheme never changes meaning. Better parameters get a new name, and
fingerprints of two schemes are never compared.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from es_simhash.errors import SchemeError, SchemeMismatch

if TYPE_CHECKING:
    from es_simhash.fingerprints.scheme_keys import SchemeKey

SUPPORTED_BITS = (64, 128)
SHINGLE_TOKENS = 4
SHINGLE_BITS = 24
CHUNK_BITS = 128
CHUNK_CHARACTERS = 4
MAX_WINDOW = 64

# One spelling of each number, so that a scheme has one name.
_NUMBER = "[1-9][0-9]{0,5}"
_NAME = re.compile(
    rf"doc(?P<bits>{_NUMBER})-word2-b(?P<blocks>{_NUMBER})\."
    rf"chunk{CHUNK_BITS}-char{CHUNK_CHARACTERS}-t(?P<least>{_NUMBER})-(?P<most>{_NUMBER})\."
    rf"shingle{SHINGLE_BITS}-word{SHINGLE_TOKENS}-w(?P<window>{_NUMBER})\.v2"
    rf"(-key(?P<key_id>[0-9a-f]{{16}}))?"
)


@dataclass(frozen=True)
class Scheme:
    """All parameters of the fingerprints of a document.

    Attributes:
        bits: Bits of the document fingerprint.
        blocks: Blocks the document fingerprint is split into.
        min_chunk_tokens: A chunk ends at the first boundary where it has this many tokens.
        max_chunk_tokens: A chunk longer than this is cut into equal parts.
        window: Largest winnowing window, in shingles (runs of four tokens).
        key_id: Id of the key by which tokens and characters are numbered; None for public hashes.
    """

    bits: int = 128
    blocks: int = 8
    min_chunk_tokens: int = 8
    max_chunk_tokens: int = 60
    window: int = 12
    key_id: str | None = None

    def __post_init__(self) -> None:
        if self.bits not in SUPPORTED_BITS or not 2 <= self.blocks <= self.bits // 2:
            raise SchemeError(
                f"No scheme has {self.bits} bits in {self.blocks} blocks; "
                f"bits may be {SUPPORTED_BITS}, blocks from 2 to half of the bits."
            )
        if not 1 <= self.min_chunk_tokens <= self.max_chunk_tokens:
            raise SchemeError(
                f"Chunks of at least {self.min_chunk_tokens} and at most {self.max_chunk_tokens} "
                "tokens cannot be made; the least must be from 1 to the most."
            )
        if not 1 <= self.window <= MAX_WINDOW:
            raise SchemeError(f"A window of {self.window} shingles is not from 1 to {MAX_WINDOW}.")

    @property
    def name(self) -> str:
        """The published name; `parse` turns it back into the scheme."""
        key = "" if self.key_id is None else f"-key{self.key_id}"
        return (
            f"doc{self.bits}-word2-b{self.blocks}."
            f"chunk{CHUNK_BITS}-char{CHUNK_CHARACTERS}-t{self.min_chunk_tokens}-{self.max_chunk_tokens}."
            f"shingle{SHINGLE_BITS}-word{SHINGLE_TOKENS}-w{self.window}.v2{key}"
        )

    @property
    def key(self) -> "SchemeKey | None":
        """Its key; None for public hashes.

        Raises:
            SchemeError: The key is not among those that are configured, or these cannot be read.
        """
        if self.key_id is None:
            return None
        keys = keys_by_id()
        if self.key_id in keys:
            return keys[self.key_id]
        from es_simhash.fingerprints.scheme_keys import HOW_TO_SET

        got = f"not {', '.join(keys)}" if keys else "and none is configured"
        raise SchemeError(
            f"The scheme needs the key with the id {self.key_id}, {got}. {HOW_TO_SET}."
        )

    @property
    def max_k(self) -> int:
        """The largest Hamming distance that the blocks guarantee: one less than their number."""
        return self.blocks - 1

    @classmethod
    def parse(cls, name: str) -> "Scheme":
        """Return the scheme of a published name.

        Raises:
            SchemeError: The name follows no published pattern, or its parameters make no scheme.
        """
        match = _NAME.fullmatch(name)
        if match is None:
            raise SchemeError(f"Unknown scheme {name!r}; names look like {DEFAULT.name!r}.")
        bits, blocks, least, most, window = (
            int(match[part]) for part in ("bits", "blocks", "least", "most", "window")
        )
        return cls(bits, blocks, least, most, window, match["key_id"])


DEFAULT = Scheme()


def keys_by_id() -> "Mapping[str, SchemeKey]":
    """Return the configured keys.

    Raises:
        SchemeError: One is no key, or their file cannot be read.
    """
    # It takes numpy, which names of schemes do without.
    from es_simhash.fingerprints.scheme_keys import configured_keys

    try:
        return configured_keys()
    except ValueError as error:
        raise SchemeError(str(error)) from None


def require_same_scheme(first: str, second: str) -> None:
    """Check that two fingerprints have the same scheme.

    Raises:
        SchemeMismatch: The names differ.
    """
    if first != second:
        raise SchemeMismatch(
            f"Fingerprints of scheme {first!r} cannot be compared with those of {second!r}; "
            "fingerprint both texts with one scheme."
        )
