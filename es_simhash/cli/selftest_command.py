"""`es-simhash selftest`: check this installation against the published vectors."""

import click

from es_simhash.storage import conformance, semantic_conformance


@click.command()
def selftest() -> None:
    """Check the conformance vectors.

    Needs no server; the exit status is 1 when one differs. The expected fingerprints are in
    data/vectors.json of the package, and every implementation of docs/fingerprint.md returns the
    same; the expected semantic profiles of a few texts are in data/semantic_profiles.json. The hash
    function is compared with that of the package xxhash.
    """
    expected = conformance.vectors()
    differences = [
        *conformance.check_hashing(),
        *conformance.check(expected),
        *semantic_conformance.differences(),
    ]
    for difference in differences:
        click.echo(difference)
    if differences:
        raise SystemExit(1)
    click.echo(f"{len(expected)} vectors, all equal")
    click.echo(f"{len(semantic_conformance.expected())} semantic profiles, all equal")
