"""The library names a parameter; the command line names the option of the command that was run."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from es_simhash.cli.groups import (
    CommandGroup,
    error_message,
    is_for_want_of_a_privilege,
    option_of,
    role_file,
)
from es_simhash.cli.main import cli
from es_simhash.errors import ClusterError, EsSimhashError, InputError
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.options import Limits, Recency, SearchOptions


def command(*path: str) -> click.Command:
    found: click.Command = cli
    for name in path:
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None
        found = inner
    return found


def commands(group: click.Group) -> Iterator[click.Command]:
    for name in group.list_commands(click.Context(group)):
        inner = group.get_command(click.Context(group), name)
        assert inner is not None
        yield from commands(inner) if isinstance(inner, click.Group) else [inner]


ALL = list(commands(cli))
PARAMETERS = ("text_field", "simhash_field", "id_field", "vocabulary", "min_score", "kinds", "size",
              "filters", "k", "candidates", "half_life", "weight", "processes", "sidecar", "audit",
              "date_field", "failures", "dead_letter", "journal", "representative", "action",
              "keep", "url", "api_key", "ca_certs", "name", "port", "scheme", "extractor",
              "vectors", "semantics", "no_such_parameter")  # fmt: skip


@pytest.mark.parametrize(
    ("path", "parameter", "option"),
    [
        (["related"], "text_field", "--text-field"),
        (["related"], "simhash_field", "--simhash-field"),
        (["related"], "min_score", "--min-score"),
        (["ingest"], "min_score", "--min-score"),
        (["related"], "kinds", "--kind"),
        (["sweep"], "kinds", "--kind"),
        (["related"], "filters", "--filter"),
        (["related"], "weight", "--recency-weight"),
        (["related"], "id", "--id"),
        (["ingest"], "action", "--on-version"),
        (["ingest"], "audit", "--audit"),
        (["families", "run"], "representative", "--representative"),
        (["backfill"], "date_field", None),
        (["install"], "entity_fields", "--entity-field"),
        (["install"], "text_field", None),
        (["demo"], "url", "--url"),
        (["undo"], "audit", None),
        (["files", "fingerprint"], "scheme", "--scheme"),
        (["selftest"], "text_field", None),
    ],
)
def test_a_parameter_has_the_option_of_the_command(
    path: list[str], parameter: str, option: str | None
) -> None:
    assert option_of(command(*path), parameter) == option


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_no_message_names_an_option_the_command_does_not_have(parameter: str) -> None:
    for each in ALL:
        options = {name for option in each.params for name in option.opts}
        for start in ("Something failed.", f"Something failed. Set {parameter}."):
            message = error_message(InputError(start, parameter=parameter), each)
            assert message.startswith("Something failed.")
            end = message.removeprefix("Something failed.")
            assert not end or end.removeprefix(" Set ").removesuffix(".") in options


@pytest.mark.parametrize(
    ("message", "parameter", "expected"),
    [
        ("Field is empty.", None, "Field is empty."),
        ("Field is empty.", "text_field", "Field is empty. Set --text-field."),
        ("Field is empty. Set text_field.", "text_field", "Field is empty. Set --text-field."),
        ("Field is empty. Set id_field.", "id_field", "Field is empty."),
        ("min_score must be 1, got 2.", "min_score", "--min-score must be 1, got 2."),
        ("id_field must be text.", "id_field", "id_field must be text."),
        ("a\x1b[31m\nb.", "url", r"a\x1b[31m b. Set --url."),
    ],
)
def test_the_option_takes_the_place_of_the_parameter(
    message: str, parameter: str | None, expected: str
) -> None:
    error = EsSimhashError(message, parameter=parameter)
    assert error_message(error, command("related")) == expected


@pytest.mark.parametrize(
    ("build", "parameter"),
    [
        (lambda: SearchOptions(min_score=2), "min_score"),
        (lambda: SearchOptions(size=0), "size"),
        (lambda: SearchOptions(kinds=("copy",)), "kinds"),  # type: ignore[arg-type]
        (lambda: Limits(candidates=0), "candidates"),
        (lambda: Recency("date", half_life=0), "half_life"),
        (lambda: Recency("date", weight=2), "weight"),
    ],
)
def test_invalid_search_options_name_their_parameter(build: object, parameter: str) -> None:
    assert callable(build)
    with pytest.raises(InputError, match=rf"^{parameter} must be .*, got .*\.$") as raised:
        build()
    assert raised.value.parameter == parameter
    option = option_of(command("related"), parameter)
    assert error_message(raised.value, command("related")).startswith(f"{option} must be ")


def test_a_group_within_a_group_names_the_option_of_the_inner_command() -> None:
    @click.command()
    @click.option("--port")
    def start(port: str) -> None:
        raise EsSimhashError(f"Port {port} is taken. Set port.", parameter="port")

    outer, inner = CommandGroup("outer"), CommandGroup("inner")
    outer.add_command(inner)
    inner.add_command(start)
    done = CliRunner().invoke(outer, ["inner", "start", "--port", "1"])
    assert (done.exit_code, done.stderr) == (1, "Error: Port 1 is taken. Set --port.\n")


@pytest.mark.parametrize(
    ("name", "arguments", "file"),
    [
        ("sweep", ["sweep", "i"], "sweep"),
        ("run", ["run", "i"], "families"),
        ("show", ["show", "i", "1"], "family"),
        ("ingest", ["i", "a.jsonl"], "ingest"),
        ("ingest", ["i", "a.jsonl", "--on-version", "skip"], "ingest-on-version"),
        ("ingest", ["i", "a.jsonl", "--on-version=skip"], "ingest-on-version"),
        ("backfill", ["i", "--sidecar", "s"], "backfill-sidecar"),
    ],
)
def test_a_missing_privilege_names_the_role_file(
    name: str, arguments: list[str], file: str
) -> None:
    assert role_file(name, arguments) == f"{file}.json"


def test_a_command_without_a_role_names_none_and_a_block_needs_none() -> None:
    assert role_file("selftest", []) is None
    refused = ClusterError("Needs the privilege monitor.")
    assert is_for_want_of_a_privilege(refused)
    assert not is_for_want_of_a_privilege(InputError("The privilege of a writer."))
    blocked = RequestRejected("Grant the privilege.", status=403, kind="cluster_block_exception")
    assert not is_for_want_of_a_privilege(blocked)
