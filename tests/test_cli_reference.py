"""docs/cli.md is what `--help` says, and has every command and every option."""

import click
import pytest

from es_simhash.cli.main import cli
from tests.support.cli_reference import PAGE, reference


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == reference(), "run make docs"


@pytest.mark.parametrize("path", list(cli.paths()), ids=" ".join)
def test_a_command_has_its_options_on_the_page(path: tuple[str, ...]) -> None:
    command: click.Command | None = cli
    for name in path:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    heading = f"\n{'#' * (len(path) + 1)} {' '.join(path)}\n"
    section = PAGE.read_text("utf-8").split(heading)[1].split("\n##")[0]
    options = [param for param in command.params if isinstance(param, click.Option)]
    for option in options:
        assert option.hidden or option.opts[0] in section, option.opts
