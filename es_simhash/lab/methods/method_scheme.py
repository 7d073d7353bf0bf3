"""Published schemes of the fingerprints of methods: as strings, as bytes, and read back."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from es_simhash.errors import MissingExtra, SchemeError, SchemeMismatch
from es_simhash.lab.methods.method_protocol import FingerprintFeatures, Ints, Method
from es_simhash.store.indexed_methods import Rows

# What looks like a fingerprint with its scheme.
_STRING = re.compile(r"([A-Za-z0-9][\w.-]*\.v[0-9]+):([A-Za-z2-7]*)")
# Extras that packages come with.
_EXTRAS = {"jieba": "chinese"}
_SHOWN = 80


@dataclass(frozen=True)
class FingerprintScheme:
    """How the fingerprints of a method are published.

    Attributes:
        name: Published name, which says all parameters.
        method: Name of the method.
        size: Bytes of a fingerprint.
        features: Returns what was read of texts, from the fingerprints of all and the bounds of the
            texts in them.
        several: Whether a text has one for each of its parts.
        packages: Optional packages without which some texts have other fingerprints, or none.
    """

    name: str
    method: str
    size: int
    features: Callable[[Rows, Ints], FingerprintFeatures]
    several: bool = False
    packages: tuple[str, ...] = ()

    def string(self, rows: Rows) -> str:
        """Return the fingerprints of a text as a string: the scheme, and their bytes in base32."""
        digits = base64.b32encode(rows.tobytes()).decode("ascii")
        return f"{self.name}:{digits.rstrip('=')}"

    def parse(self, string: str) -> Rows:
        """Return the fingerprints of a string, in upper or lower case.

        Raises:
            SchemeMismatch: It is of another scheme.
            SchemeError: It is no fingerprint.
        """
        match = _STRING.fullmatch(string.strip())
        if match is not None and match[1].lower() != self.name:
            raise SchemeMismatch(
                f"Fingerprint {string[:_SHOWN]!r} is of scheme {match[1]!r}, not {self.name!r}. "
                f"Compute it again with `es-simhash files fingerprint FILE --scheme {self.method}`."
            )
        rows = None if match is None else self.rows(_decoded(match[2].upper()))
        if rows is None:
            digits = -(-self.size * 8 // 5)
            length = f"base32 of {self.size} bytes each" if self.several else f"{digits} digits"
            raise SchemeError(
                f"{string[:_SHOWN]!r} is no fingerprint of scheme {self.name!r}. Give the scheme, "
                f"a colon and {length}{'' if self.several else ' of base32'}."
            )
        return rows

    def rows(self, stored: bytes | None) -> Rows | None:
        """Return the fingerprints of a text from their bytes; None where these cannot be any."""
        if not stored or len(stored) % self.size:
            return None
        rows = np.frombuffer(stored, np.uint8).reshape(-1, self.size)
        return rows if self.several or len(rows) == 1 else None

    def restore(self, rows: Sequence[Rows]) -> FingerprintFeatures:
        """Return what was read of texts from the fingerprints of each."""
        bounds = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return self.features(np.concatenate([np.zeros((0, self.size), np.uint8), *rows]), bounds)

    def require_packages(self) -> None:
        """Check that texts have the same fingerprints here as everywhere.

        Raises:
            MissingExtra: A package is not installed.
        """
        for package in self.packages:
            if find_spec(package) is None:
                need = f"Scheme {self.name!r} needs {package}, which is not installed"
                raise MissingExtra.of(_EXTRAS[package], need)


@dataclass(frozen=True, kw_only=True)
class FingerprintMethod(Method):
    """A method whose fingerprints an index can hold.

    Attributes:
        read: Returns the fingerprints of texts, computed in whole batches.
        scheme: How its fingerprints are published.
    """

    read: Callable[[Sequence[str]], FingerprintFeatures]
    scheme: FingerprintScheme


def _decoded(digits: str) -> bytes | None:
    """Return the bytes of base32 without padding; None when it is not what encoding them gives."""
    try:
        decoded = base64.b32decode(digits + "=" * (-len(digits) % 8))
    except binascii.Error:
        return None
    written = base64.b32encode(decoded).decode("ascii").rstrip("=")
    return decoded if written == digits else None


def scheme_of(string: str) -> str | None:
    """Return the scheme that a string of fingerprints names, known or not; None for another."""
    match = _STRING.fullmatch(string.strip())
    return None if match is None else match[1].lower()


def is_fingerprint(string: str) -> bool:
    """Check whether a string looks like fingerprints of a scheme, known or not."""
    return scheme_of(string) is not None
