"""`es-simhash selftest`: check this installation against the published vectors."""

import click

from es_simhash.cli.commands import command
from es_simhash.errors import MissingExtra
from es_simhash.store import conformance, semantic_conformance
from es_simhash.store.indexed_methods import require_lab


@command
def selftest() -> None:
    """Check the conformance vectors.

    Needs no server; the exit status is 1 when one differs. The expected fingerprints are in
    data/vectors.json of the package, and every implementation of docs/fingerprint.md returns the
    same; the expected semantic profiles of a few texts are in data/semantic_profiles.json, the
    fingerprints and block keys of each method in data/methods. A method that needs a package that
    is not installed is named and not checked. The hash function is compared with that of the
    package xxhash.
    """
    expected = conformance.vectors()
    checked, of_methods, unchecked = _checked_methods()
    differences = [
        *conformance.check_hashing(),
        *conformance.check(expected),
        *semantic_conformance.differences(),
        *of_methods,
    ]
    for difference in differences:
        click.echo(difference)
    if differences:
        raise SystemExit(1)
    click.echo(f"{len(expected)} vectors, all equal")
    click.echo(f"{len(semantic_conformance.expected())} semantic profiles, all equal")
    if checked:
        click.echo(f"{checked} methods, all vectors equal")
    for sentence in unchecked:
        click.echo(sentence)


def _checked_methods() -> tuple[int, list[str], list[str]]:
    """Compare every method with its vectors.

    Returns:
        How many methods were compared, a sentence for each difference, and one for each method that
        was not compared.
    """
    try:
        require_lab()
    except MissingExtra as error:
        return 0, [], [str(error)]
    from es_simhash.lab.methods import method_vectors
    from es_simhash.lab.methods.method_registry import FINGERPRINT_METHODS

    differences, unchecked = method_vectors.check_all()
    return len(FINGERPRINT_METHODS) - len(unchecked), differences, unchecked
