"""Tables never fold an id, however narrow the terminal."""

import pytest

from es_simhash.cli.settled_tables import print_pairs
from es_simhash.families.settled import SettledPair


@pytest.mark.parametrize("columns", ["40", "80"])
def test_ids_of_dismissed_pairs_are_not_folded(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ids = ("minutes-of-the-district-council-2024-03-01", "minutes-of-the-district-council-2024-04")
    print_pairs([SettledPair(ids, "dismissed"), SettledPair(("a", "b"), "joined")], "table", "")
    rows = [line for line in capsys.readouterr().out.splitlines() if "minutes" in line]
    assert len(rows) == 1
    assert all(id in rows[0] for id in ids)
