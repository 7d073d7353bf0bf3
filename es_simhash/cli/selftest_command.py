"""`es-simhash selftest`: does this installation compute the published fingerprints?"""

import click

from es_simhash import conformance


@click.command()
def selftest() -> None:
    """Compute the conformance vectors and compare; exit status 1 when one differs.

    Needs no server. The vectors are the file data/vectors.json of the package; every
    implementation of docs/fingerprint.md gives the same.
    """
    expected = conformance.vectors()
    differences = conformance.check(expected)
    for difference in differences:
        click.echo(difference)
    if differences:
        raise SystemExit(1)
    click.echo(f"{len(expected)} vectors, all equal")
