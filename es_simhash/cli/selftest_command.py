"""`es-simhash selftest`: does this installation compute what was published?"""

import click

from es_simhash.storage import conformance, semantic_conformance


@click.command()
def selftest() -> None:
    """Compute the conformance vectors and compare; exit status 1 when one differs.

    Needs no server. The vectors are the file data/vectors.json of the package; every
    implementation of docs/fingerprint.md gives the same. The semantic profiles of a few texts are
    those of data/semantic_profiles.json; the word-vector table has a checksum. The hash function
    over arrays is compared with the xxhash package.
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
    click.echo(f"{len(semantic_conformance.expected())} meanings, all equal")
