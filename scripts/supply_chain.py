"""What is shipped and what it needs: a reproducible wheel, a bill of materials, licences.

    python -m scripts.supply_chain [--folder dist]

builds the wheel twice and compares both, writes the bill of materials (CycloneDX) of the package
with its runtime dependencies as they are installed here; writes these and what the images have in
addition as requirements, lists their licences, and fails where one is not among those that may be
shipped with this one.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock_images import EXTRAS

ROOT = Path(__file__).parents[1]
PACKAGE = "es-simhash"
# Extras of the images, which are shipped with all their packages.
OF_IMAGES = tuple(sorted({name for names in EXTRAS.values() for name in names}))
# 2020-02-02, as hatchling has it by default: files in a wheel cannot be older than 1980.
EPOCH = "1580601600"
# Licences that ask for nothing but a notice; those of MPL reach no farther than their own files.
ALLOWED = re.compile(
    r"Apache|BSD|MIT|ISC|Python Software Foundation|PSF|MPL|Mozilla|Zlib|0BSD|CC0", re.IGNORECASE
)

# What stands for any licence that has no classifier, such as one with a slip in it.
NO_NAME = "License :: Other/Proprietary License"


@dataclass(frozen=True)
class Component:
    """A package that an installation has.

    Attributes:
        name: Its name.
        version: The version that is installed here.
        licence: What its metadata says: an expression, a name, or classifiers.
    """

    name: str
    version: str
    licence: str

    @property
    def is_allowed(self) -> bool:
        """Whether it may be shipped with this package."""
        return bool(ALLOWED.search(self.licence))


def components(extras: Sequence[str] = (), name: str = PACKAGE) -> list[Component]:
    """Return the packages that one needs at run time, by name.

    Args:
        extras: Extras of it that are installed too.
        name: The package.

    Raises:
        PackageNotFoundError: One of them is not installed here, so that its licence is unknown.
    """
    found: dict[str, Component] = {}
    for needed in _needed(name, extras, set()):
        found[canonicalize_name(needed.name)] = Component(
            canonicalize_name(needed.name), needed.version, licence_of(needed)
        )
    return sorted(found.values(), key=lambda each: each.name)


def _needed(
    name: str, extras: Iterable[str], seen: set[tuple[str, frozenset[str]]]
) -> Iterator[Distribution]:
    for line in distribution(name).requires or ():
        requirement = Requirement(line)
        wanted = canonicalize_name(requirement.name)
        named = (wanted, frozenset(requirement.extras))
        if named in seen or not _is_installed_with(requirement, extras):
            continue
        seen.add(named)
        yield distribution(wanted)
        yield from _needed(wanted, requirement.extras, seen)


def _is_installed_with(requirement: Requirement, extras: Iterable[str]) -> bool:
    """Check whether a package with some extras has a requirement on this platform."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def licence_of(package: Distribution) -> str:
    """Return what a package says of its licence, in one line.

    That is its metadata; where these name none, the title of its licence.
    """
    metadata = package.metadata
    classified = [
        value.rpartition(" :: ")[2]
        for value in metadata.get_all("Classifier") or ()
        if value.startswith("License ::") and value != NO_NAME
    ]
    said = metadata.get("License-Expression") or ", ".join(classified) or metadata.get("License")
    return (said or _title(package) or "unknown").strip().partition("\n")[0]


def _title(package: Distribution) -> str | None:
    """Return the licence that a package has beside its metadata; it begins with its title."""
    files = package.metadata.get_all("License-File") or ()
    texts = (package.read_text(f"{folder}{file}") for file in files for folder in ("licenses/", ""))
    return next(filter(None, texts), None)


def bill_of_materials(parts: Sequence[Component], version: str) -> dict[str, Any]:
    """Return the bill of materials in the form of CycloneDX 1.5; the same for the same parts."""
    listed = [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{part.name}@{part.version}",
            "name": part.name,
            "version": part.version,
            "purl": f"pkg:pypi/{part.name}@{part.version}",
            "licenses": [{"license": {"name": part.licence}}],
        }
        for part in parts
    ]
    ref = f"pkg:pypi/{PACKAGE}@{version}"
    content = json.dumps(listed, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": ref,
                "name": PACKAGE,
                "version": version,
                "purl": ref,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": listed,
        "dependencies": [{"ref": ref, "dependsOn": [part["bom-ref"] for part in listed]}],
    }


def built_wheel(folder: Path) -> Path:
    """Build the wheel into a folder, with what is installed here; files alone decide its bytes."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    environment = {"SOURCE_DATE_EPOCH": EPOCH, **os.environ}
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True, env=environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(argv: Sequence[str] | None = None) -> int:
    """Build, compare, write and list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    options = parser.parse_args(argv)
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        wheels = [built_wheel(Path(place)) for place in (first, second)]
        digests = {digest(wheel) for wheel in wheels}
        (folder / wheels[0].name).write_bytes(wheels[0].read_bytes())
        print(f"{wheels[0].name}  {digests.pop()}")
    bill = bill_of_materials(components(), distribution(PACKAGE).version)
    (folder / "sbom.cdx.json").write_text(json.dumps(bill, indent=2) + "\n", "utf-8")
    parts = components(OF_IMAGES)
    pinned = "".join(f"{part.name}=={part.version}\n" for part in parts)
    (folder / "requirements.txt").write_text(pinned, "utf-8")
    for part in parts:
        print(f"{part.name} {part.version}: {part.licence}")
    refused = [part.name for part in parts if not part.is_allowed]
    if refused or digests:
        what = f"licences of {', '.join(refused)}" if refused else "two builds that differ"
        print(f"Not to be released: {what}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
