"""`es-simhash selftest`: check this installation against the published vectors."""

import click

from es_simhash.lab.methods import conformance as method_conformance
from es_simhash.lab.methods.strings import method_schemes
from es_simhash.store import conformance, semantic_conformance


@click.command()
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
    of_methods, unchecked = method_conformance.check_all()
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
    click.echo(f"{len(method_schemes()) - len(unchecked)} methods, all vectors equal")
    for sentence in unchecked:
        click.echo(sentence)
