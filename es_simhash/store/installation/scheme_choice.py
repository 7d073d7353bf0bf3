"""The schemes of an index from the names that a user gives: its own, and those of methods."""

from collections.abc import Sequence

from es_simhash.errors import InputError, SchemeError, nearest_note
from es_simhash.fingerprints.chosen_scheme import KEYED, chosen_scheme
from es_simhash.fingerprints.fingerprint_scheme import DEFAULT, Scheme
from es_simhash.store.added_schemes import AddedScheme
from es_simhash.store.indexed_methods import indexed_method, indexed_methods


def chosen_schemes(
    choice: Scheme | Sequence[str],
) -> tuple[Scheme, tuple[AddedScheme, ...]]:
    """Return the scheme of an index, and those of methods that it has in addition.

    Args:
        choice: The scheme; or names: of that scheme, at most one, and of methods or their schemes.

    Raises:
        SchemeError: A name is neither that of a scheme nor of a method that makes fingerprints, or
            there are two schemes, or the key of one is not configured.
        MissingExtra: A package that a method needs is not installed.
    """
    if isinstance(choice, Scheme):
        return choice, ()
    own: list[Scheme] = []
    added: set[AddedScheme] = set()
    for name in [choice] if isinstance(choice, str) else choice:
        if is_published(name):
            own.append(chosen_scheme(name))
        else:
            added.add(_added(name))
    if len(set(own)) > 1:
        raise SchemeError(
            f"An index has one scheme of its own, got {own[0].name!r} and {own[1].name!r}. "
            "Name one of them."
        )
    return own[0] if own else DEFAULT, tuple(sorted(added))


def is_published(name: str) -> bool:
    """Check whether a name begins as those of the published schemes, rather than of methods.

    What begins like one and is none must say why, as a name with too many bits.
    """
    return name == KEYED or name.startswith("doc")


def _added(name: str) -> AddedScheme:
    try:
        method = indexed_method(name)
    except InputError as error:
        raise SchemeError(
            f"Unknown scheme {name!r}: neither a published one nor that of a method whose "
            f"fingerprints can be stored. Choose {DEFAULT.name}, or one of "
            f"{', '.join(indexed_methods())}{nearest_note(name, indexed_methods())}."
        ) from error
    method.scheme.require_packages()
    return AddedScheme(method.name, method.scheme.name)
