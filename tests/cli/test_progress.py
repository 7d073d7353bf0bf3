"""Where there is no terminal, a long run says once a minute how far it is."""

import pytest

from es_simhash.cli import progress
from es_simhash.cli.progress import progress_bar


def run_through(*, quiet: bool = False) -> None:
    with progress_bar(quiet=quiet) as bar:
        assert bar.is_hidden
        bar("documents read", 12_000, 1_000_000)
        bar("families", 7, None)


def test_lines_say_what_is_done_of_how_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.0)
    run_through()
    printed = capsys.readouterr()
    first, second = printed.err.splitlines()
    assert first.startswith("documents read: 12,000 of 1,000,000, ")
    assert first.endswith("/s")
    assert second.startswith("families: 7, ")
    assert printed.out == ""


def test_a_run_of_less_than_a_minute_prints_none(capsys: pytest.CaptureFixture[str]) -> None:
    run_through()
    assert capsys.readouterr().err == ""


def test_a_minute_passes_between_two_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, *[61.0, 61.0], 100.0, *[122.0, 122.0], 130.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(seconds))
    with progress_bar() as bar:
        for done in range(4):
            bar.print_line("documents", done, None, 1.0)
    assert [line[11] for line in capsys.readouterr().err.splitlines()] == ["0", "2"]


def test_a_quiet_run_prints_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_LINE_SECONDS", 0.0)
    run_through(quiet=True)
    assert capsys.readouterr().err == ""
