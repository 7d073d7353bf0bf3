"""`es-simhash pairs` on the command line; what it prints is tested with the pairs themselves."""

from es_simhash.cli.pairs_command import pairs
from tests.cli.conftest import Run


def test_formats_are_those_that_need_no_end(run: Run) -> None:
    assert pairs.name == "pairs"
    assert "'jsonl', 'csv'" in run("pairs", "articles", "--format", "json").wrong_usage()
