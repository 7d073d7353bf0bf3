"""The scheme that a user names, with the key that its fingerprints need."""

from dataclasses import replace

from es_simhash.errors import SchemeError
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme, keys_by_id
from es_simhash.fingerprints.scheme_keys import HOW_TO_SET

# The default scheme with the first key that is configured.
KEYED = "keyed"


def chosen_scheme(name: str) -> Scheme:
    """Return the scheme that a user names, with which texts can be fingerprinted here.

    Args:
        name: A published name; or `keyed`, for the default scheme with the key that is configured.

    Raises:
        SchemeError: There is no such scheme, or its key is not configured.
    """
    if name == KEYED:
        for key_id in keys_by_id():
            return replace(DEFAULT, key_id=key_id)
        raise SchemeError(f"A keyed scheme needs a key. {HOW_TO_SET}.")
    scheme = Scheme.parse(name)
    scheme.key  # noqa: B018 - where it is not configured, that is said now.
    return scheme
