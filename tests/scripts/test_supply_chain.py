"""Two builds of the wheel are the same, and what the package needs may be shipped with it."""

import json
import re
import subprocess
import sys
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    PathDistribution,
    distribution,
)
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.markers import Marker

from scripts import supply_chain
from scripts.build_site import ROOT
from scripts.lock_images import EXTRAS, lock_path
from scripts.supply_chain import (
    OF_IMAGES,
    Component,
    bill_of_materials,
    components,
    licence_of,
    main,
)

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
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
    # The audit looks at what the images have in addition too.
    assert {line.partition("==")[0] for line in pinned} >= {*names, "uvicorn", "wordfreq", "jieba"}
    assert "uvicorn" not in names
    listed = capsys.readouterr().out
    assert all(f"{line.replace('==', ' ')}: " in listed for line in pinned)


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
    parts = components(OF_IMAGES)
    assert [part for part in parts if not part.is_allowed] == []
    assert not Component("theirs", "1", "GPL-3.0-only").is_allowed
    assert not Component("theirs", "1", "unknown").is_allowed
    assert bill_of_materials(parts, "1") == bill_of_materials(parts, "1")


def test_every_package_of_the_images_is_among_those_whose_licence_is_checked() -> None:
    checked = {part.name for part in components(OF_IMAGES)}
    for image in EXTRAS:
        locked = re.findall(
            r"^([\w.-]+)==\S+(?: ; (.+?))? \\$", lock_path(image).read_text("utf-8"), re.M
        )
        here = {name for name, marker in locked if not marker or Marker(marker).evaluate()}
        assert len(here) > 20
        # An extra of a requirement counts as well: `pyjwt[crypto]`.
        assert here <= checked, image
    assert "cryptography" in checked


@pytest.mark.parametrize(
    ("classifier", "title", "licence"),
    [
        ("OSI Approved :: BSD License", "MIT License", "BSD License"),
        ("Other/Proprietary License", "MIT License", "MIT License"),
        ("Other/Proprietary License", "All rights reserved", "All rights reserved"),
        ("Other/Proprietary License", "", "unknown"),
    ],
)
def test_a_licence_that_metadata_do_not_name_is_that_of_its_file(
    tmp_path: Path, classifier: str, title: str, licence: str
) -> None:
    lines = ("Name: theirs", f"Classifier: License :: {classifier}", "License-File: LICENSE")
    (tmp_path / "METADATA").write_text("\n".join(lines) + "\n\n", "utf-8")
    (tmp_path / "LICENSE").write_text(f"{title}\n\nPermission is granted.\n", "utf-8")
    if not title:
        (tmp_path / "LICENSE").unlink()
    assert licence_of(PathDistribution(tmp_path)) == licence


def test_a_package_that_is_not_installed_is_no_checked_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_numpy(name: str) -> Distribution:
        if name == "numpy":
            raise PackageNotFoundError(name)
        return distribution(name)

    monkeypatch.setattr(supply_chain, "distribution", without_numpy)
    with pytest.raises(PackageNotFoundError):
        components()


def steps_of(path: Path) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow, once for each value of `target` in a matrix."""
    steps = []
    for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
        for target in job.get("strategy", {}).get("matrix", {}).get("target", [""]):
            for step in job["steps"]:
                run = step.get("run", "").replace("${{ matrix.target }}", target)
                steps.append({**step, "run": run})
    return steps


def called_by(path: Path) -> list[str]:
    """Return the targets of the Makefile that a workflow calls."""
    return [target for step in steps_of(path) for target in re.findall(r"make (\S+)", step["run"])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_form_and_calls_commands_there_are(path: Path) -> None:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    checked = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    called = called_by(path)
    assert called
    assert [target for target in called if f"\n{target}:" not in MAKEFILE] == []
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert [action for action in used if not re.search(r"@(release/)?v\d+$", action)] == []


def test_the_workflows_run_all_tests_and_checks_that_there_are() -> None:
    called = {target for path in WORKFLOWS for target in called_by(path)}
    targets = set(re.findall(r"^(test-[\w-]+|check|supply-chain|audit|sdist):", MAKEFILE, re.M))
    assert len(targets) > 10
    assert targets - called == set()


def test_a_release_installs_what_it_publishes() -> None:
    (release,) = (path for path in WORKFLOWS if path.stem == "release")
    (tried,) = (step["run"] for step in steps_of(release) if "selftest" in step["run"])
    for published in ("dist/*.whl", "dist/*.tar.gz"):
        assert published in release.read_text("utf-8").partition("upload-artifact")[2]
        assert published in tried.replace('"$PWD"/', "")
