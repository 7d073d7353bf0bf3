"""Two builds of the wheel are the same, and what the package needs may be shipped with it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import supply_chain
from scripts.build_site import ROOT
from scripts.supply_chain import Component, bill_of_materials, components, main

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_wheel_is_the_same_twice_and_its_bill_names_what_it_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--folder", str(tmp_path)]) == 0
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size > 100_000
    bill = json.loads((tmp_path / "sbom.cdx.json").read_text("utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    names = {part["name"] for part in bill["components"]}
    assert {"elasticsearch", "elastic-transport", "numpy", "xxhash", "click", "jinja2"} <= names
    assert "pytest" not in names
    assert bill["dependencies"][0]["dependsOn"] == [part["purl"] for part in bill["components"]]
    pinned = (tmp_path / "requirements.txt").read_text("utf-8").split()
    assert {line.partition("==")[0] for line in pinned} == names
    assert "numpy" in capsys.readouterr().out


def test_builds_that_differ_are_not_to_be_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(folder: Path) -> Path:
        wheel = folder / "a.whl"
        wheel.write_text(str(folder))
        return wheel

    monkeypatch.setattr(supply_chain, "built_wheel", build)
    assert main(["--folder", str(tmp_path)]) == 1
    assert "two builds that differ" in capsys.readouterr().err


def test_every_licence_may_be_shipped_and_another_is_named() -> None:
    parts = components()
    assert [part for part in parts if not part.is_allowed] == []
    assert not Component("theirs", "1", "GPL-3.0-only").is_allowed
    assert not Component("theirs", "1", "unknown").is_allowed
    assert bill_of_materials(parts, "1") == bill_of_materials(parts, "1")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_form_and_calls_commands_there_are(path: Path) -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    checked = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    targets = (ROOT / "Makefile").read_text("utf-8")
    called = [
        line.split("make ")[1].split()[0]
        for line in path.read_text().splitlines()
        if "run: make " in line
    ]
    assert called
    assert [target for target in called if f"\n{target}:" not in targets] == []
