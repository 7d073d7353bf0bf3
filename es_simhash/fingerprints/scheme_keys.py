"""Keys of schemes: who does not have the key cannot compute what texts have in common.

XXH64 is public and can be inverted, so anybody can make two texts whose hashes are the same, or
guess a text and check it against what is stored. With a key, tokens and characters are numbered by
BLAKE2b, a keyed hash; the hashes that follow are of numbers that nobody else knows.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

KEY_VARIABLE, KEY_FILE_VARIABLE = "ES_SIMHASH_SCHEME_KEY", "ES_SIMHASH_SCHEME_KEY_FILE"
_KEY = re.compile("[0-9a-fA-F]{64}")
HOW_TO_SET = f"Set {KEY_VARIABLE}, or {KEY_FILE_VARIABLE} to a file that has it"
# Tokens whose numbers are kept: some megabytes; longer ones occur once.
_KEPT_TOKENS, _KEPT_LENGTH = 1 << 17, 64


class SchemeKey:
    """A key, and the numbers that it gives.

    Args:
        secret: 32 bytes.
    """

    def __init__(self, secret: bytes) -> None:
        self._tokens = _TokenNumbers(secret)
        self._secret = secret
        # 0 stands for one that is not known yet.
        self._characters = np.zeros(sys.maxunicode + 1, np.uint64)
        self.id = hashlib.blake2b(key=secret, person=b"key id", digest_size=8).hexdigest()

    def __repr__(self) -> str:
        return f"SchemeKey(id={self.id!r})"

    def token_numbers(self, tokens: Sequence[str]) -> NDArray[np.uint64]:
        """Return the number of each token."""
        if len(self._tokens) > _KEPT_TOKENS:
            self._tokens.clear()
        return np.fromiter(map(self._tokens.__getitem__, tokens), np.uint64, len(tokens))

    def character_numbers(self, codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return the number of each code point."""
        numbers: NDArray[np.uint64] = self._characters.take(codes.astype(np.int64))
        if not numbers.all():
            for code in np.unique(codes[numbers == 0]).tolist():
                self._characters[code] = _digest(
                    self._secret, b"character", code.to_bytes(4, "little")
                )
            numbers = self._characters.take(codes.astype(np.int64))
        return numbers


class _TokenNumbers(dict[str, int]):
    """The numbers of tokens, each computed once."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def __missing__(self, token: str) -> int:
        number = _digest(self._secret, b"token", token.encode("utf-8", "surrogatepass"))
        if len(token) <= _KEPT_LENGTH:
            self[token] = number
        return number


def _digest(secret: bytes, purpose: bytes, value: bytes) -> int:
    digest = hashlib.blake2b(value, key=secret, person=purpose, digest_size=8).digest()
    return int.from_bytes(digest, "little")


def configured_keys() -> Mapping[str, SchemeKey]:
    """Return the configured keys by their ids, in their order; read again where they changed.

    Raises:
        ValueError: One is no key, or their file cannot be read.
    """
    return _keys(tuple(_written()))


@lru_cache(maxsize=1)
def _keys(written: Sequence[str]) -> Mapping[str, SchemeKey]:
    keys = [SchemeKey(bytes.fromhex(digits)) for digits in written]
    return {key.id: key for key in keys}


def _written() -> Iterator[str]:
    """Yield the keys as they are written; several of them where an index changes its key."""
    places = [(KEY_VARIABLE, os.environ.get(KEY_VARIABLE, ""))]
    if file := os.environ.get(KEY_FILE_VARIABLE):
        places.append((KEY_FILE_VARIABLE, _read(file)))
    for place, content in places:
        for digits in content.split():
            if _KEY.fullmatch(digits) is None:
                # Not what it has: that may be the better part of a key.
                raise ValueError(
                    f"{place} must have keys of 64 hexadecimal digits, got one of {len(digits)} "
                    "characters. Make one by `openssl rand -hex 32`."
                )
            yield digits


def _read(file: str) -> str:
    try:
        return Path(file).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise ValueError(f"Cannot read {file!r} of {KEY_FILE_VARIABLE}: {reason}.") from None
