"""`es-simhash selftest` and `es-simhash files fingerprint`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from es_simhash.cli.fingerprint_command import fingerprint
from es_simhash.cli.selftest_command import selftest
from es_simhash.errors import InputError, SchemeError
from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.fingerprints.text_fingerprints import fingerprint as fingerprint_of
from es_simhash.lab.methods import method_scheme as schemes
from es_simhash.store import conformance, semantic_conformance
from es_simhash.store.codec import simhash_object

TEXT = "The harbour opens at six in the morning. Boats wait outside until the light turns green."


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


@pytest.mark.long
def test_selftest_says_how_many_vectors_are_equal() -> None:
    result = CliRunner().invoke(selftest)
    assert result.exit_code == 0
    assert f"{len(conformance.vectors())} vectors, all equal\n" in result.output
    assert f"{len(semantic_conformance.expected())} semantic profiles, all equal\n" in result.output
    assert result.output.endswith("13 methods, all vectors equal\n")


@pytest.mark.long
def test_selftest_names_methods_that_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemes, "find_spec", lambda package: None)
    result = CliRunner().invoke(selftest)
    assert result.exit_code == 0
    assert "8 methods, all vectors equal\n" in result.output
    assert "weighted-simhash was not checked: Scheme 'weighted-simhash64.v1' needs jieba" in (
        result.output
    )


@pytest.mark.long
def test_selftest_prints_differences_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "check", lambda _: ["two words: tokens differ"])
    result = CliRunner().invoke(selftest)
    assert result.exit_code == 1
    assert result.output == "two words: tokens differ\n"


def test_selftest_compares_the_hash_with_the_xxhash_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(conformance.check_hashing()) == []
    monkeypatch.setattr(conformance, "xxh64", lambda values, *seeds: [values for _ in seeds])
    assert next(conformance.check_hashing()).startswith("XXH64 of 0x0, seed 0x0: 0000000000000000")


def test_fingerprint_prints_what_would_be_stored(file: str) -> None:
    result = CliRunner().invoke(fingerprint, [file], catch_exceptions=False)
    printed = json.loads(result.output)
    assert printed["simhash"] == simhash_object(fingerprint_of(TEXT))
    assert [chunk["end_token"] for chunk in printed["chunks"]] == [8, 16]


def test_fingerprint_reads_the_standard_input(file: str) -> None:
    runner = CliRunner()
    piped = runner.invoke(fingerprint, ["-"], input=TEXT.encode(), catch_exceptions=False)
    assert piped.output == runner.invoke(fingerprint, [file]).output


def test_fingerprint_takes_another_scheme(file: str) -> None:
    name = Scheme(bits=64, blocks=4).name
    result = CliRunner().invoke(fingerprint, [file, "--scheme", name], catch_exceptions=False)
    stored = json.loads(result.output)["simhash"]
    assert stored["scheme"] == name
    assert len(stored["fingerprint"]) == 16


def test_fingerprint_as_tables(file: str) -> None:
    result = CliRunner().invoke(fingerprint, [file, "--format", "table"], catch_exceptions=False)
    assert fingerprint_of(TEXT).content_hash in result.output
    assert "8-15" in result.output


def test_fingerprint_of_an_empty_text_shows_its_status() -> None:
    for form in ("json", "table"):
        arguments = ["-", "--format", form]
        result = CliRunner().invoke(fingerprint, arguments, input="", catch_exceptions=False)
        assert "empty" in result.output


def test_fingerprint_shows_brackets_as_they_are(tmp_path: Path) -> None:
    # Rich would take [bold] in a string for markup.
    path = tmp_path / "text.txt"
    path.write_text("人[bold]人", "utf-8")
    result = CliRunner().invoke(fingerprint, [str(path), "--format", "table"])
    assert "人 bold 人" in result.output


def test_text_that_is_not_utf8_is_refused_with_file_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes("Grüße".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin1.txt' is not UTF-8: byte 2 is 0xfc"):
        CliRunner().invoke(fingerprint, [str(path)], catch_exceptions=False)
    with pytest.raises(InputError, match=r"Standard input is not UTF-8: byte 0"):
        CliRunner().invoke(fingerprint, ["-"], input=b"\xff", catch_exceptions=False)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            CliRunner().invoke(fingerprint, [str(path)], catch_exceptions=False)


def test_an_unknown_scheme_is_refused(file: str) -> None:
    with pytest.raises(SchemeError, match="Unknown scheme 'md5'"):
        CliRunner().invoke(fingerprint, [file, "--scheme", "md5"], catch_exceptions=False)


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("arguments", [["selftest"], ["files", "fingerprint", "-"]])
def test_these_commands_do_not_import_the_client(arguments: list[str]) -> None:
    code = (
        "import sys; from es_simhash.cli.main import cli;"
        f"cli({arguments!r}, standalone_mode=False);"
        "assert not {'elasticsearch', 'elastic_transport'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"a text", capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_bad_input_is_one_sentence_on_the_command_line() -> None:
    command = [sys.executable, "-m", "es_simhash", "files", "fingerprint", "-"]
    done = subprocess.run(command, input=b"\xff", capture_output=True)
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert done.stderr.startswith(b"Error: Standard input is not UTF-8")
