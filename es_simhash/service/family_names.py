"""Names of families for callers who see different documents: they tell nothing of those unseen.

A family is named by the beginning of the hash of one of its texts. That may be one that the caller
must not read, and whoever guesses it could check the guess without asking anybody.
"""

import base64
import binascii
from hashlib import blake2b

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from es_simhash.service.service_config import ServiceConfig

_PREFIX = "f-"
_KEY_BYTES = 64


class FamilyNames:
    """Encrypts the names of families where callers have keys; always to the same (RFC 5297).

    Args:
        config: Configuration of the service; its secret is that of the names.
    """

    def __init__(self, config: ServiceConfig) -> None:
        secret = blake2b(config.secret, person=b"family names", digest_size=_KEY_BYTES)
        self._cipher = None if config.is_open else AESSIV(secret.digest())

    def shown(self, name: str) -> str:
        """Return a name as a caller sees it."""
        if self._cipher is None:
            return name
        encrypted = self._cipher.encrypt(name.encode("utf-8", "surrogatepass"), None)
        return _PREFIX + base64.urlsafe_b64encode(encrypted).decode("ascii").rstrip("=")

    def stored(self, shown: str) -> str | None:
        """Return the name of a family that a caller names; None for what was never shown."""
        if self._cipher is None:
            return shown
        encoded = shown.removeprefix(_PREFIX)
        try:
            encrypted = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
            return self._cipher.decrypt(encrypted, None).decode("utf-8", "surrogatepass")
        except (binascii.Error, ValueError, InvalidTag):
            return None
