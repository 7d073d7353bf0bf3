"""The command that installs an extra, by how the package was installed; the nearest name."""

import importlib.metadata
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from es_simhash.errors import MissingExtra, install_command, nearest_note


def test_the_command_names_what_the_package_is_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone, wheel = tmp_path / "a clone", tmp_path / "es_simhash-0.1.0-py3-none-any.whl"
    clone.mkdir()
    wheel.touch()
    origins = {
        f"-e '{clone}[all]'": {"url": clone.as_uri(), "dir_info": {"editable": True}},
        f"'{clone}[all]'": {"url": clone.as_uri(), "dir_info": {}},
        f"'{wheel}[all]'": {"url": wheel.as_uri(), "archive_info": {}},
        "'es-simhash[all]'": {"url": (tmp_path / "gone").as_uri(), "dir_info": {}},
    }
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    for command, origin in [*origins.items(), ("'es-simhash[all]'", None)]:
        written = None if origin is None else json.dumps(origin)
        found = SimpleNamespace(read_text=lambda name, written=written: written)
        monkeypatch.setattr(importlib.metadata, "distribution", lambda name, found=found: found)
        assert install_command("all") == f"pip install {command}"
        assert (
            str(MissingExtra.of("all", "It needs all")) == f"It needs all: pip install {command}."
        )


def test_an_environment_that_is_not_activated_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    assert install_command("all").startswith(f"{sys.executable} -m pip install ")


@pytest.mark.parametrize(
    ("value", "names", "note"),
    [
        ("content", ["text", "Content"], " (nearest: Content)"),
        ("TITEL", ["title", "text"], " (nearest: title)"),
        ("x", ["title", "text"], ""),
        ("x", [], ""),
    ],
)
def test_the_nearest_name_is_that_of_the_same_letters_in_any_case(
    value: str, names: list[str], note: str
) -> None:
    assert nearest_note(value, names) == note
