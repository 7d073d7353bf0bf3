"""Server distributions: fetched and unpacked once with Maven, from Maven Central or its mirror."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from es_simhash.store.home_folder import home_folder
from scripts.local_node.java import NodeError, apt_install

_UNPACK = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack"


@dataclass(frozen=True)
class Release:
    """A server that Maven Central has as a zip, and the oldest Java that runs it."""

    product: str
    version: str
    java: int

    @property
    def title(self) -> str:
        """Product and version, as a message names them."""
        return f"{self.product.capitalize()} {self.version}"


ELASTICSEARCH = Release("elasticsearch", "9.5.3", 21)
# What a machine runs whose newest JDK is 17, as on Debian 12.
ELASTICSEARCH_8 = Release("elasticsearch", "8.19.21", 17)
# The Elasticsearch of Maven Central comes without its script and ingest modules, OpenSearch with.
OPENSEARCH = Release("opensearch", "3.6.0", 21)


def require_distribution(release: Release, java: Path) -> Path:
    """Return the folder of a distribution, downloaded and unpacked if need be.

    Raises:
        NodeError: Maven is missing, or could not fetch it.
    """
    target = home_folder() / "distributions" / f"{release.product}-{release.version}"
    if target.is_dir():
        return target
    open_folder(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        Path(scratch).chmod(0o755)
        _unpack(release, java, Path(scratch))
        # One rename, so that an interrupted start leaves nothing half unpacked.
        next(Path(scratch).glob(f"{release.product}-*")).rename(target)
    return target


def open_folder(folder: Path) -> None:
    """Create a folder that every user may enter, whatever the caller's umask says."""
    if folder.is_dir():
        return
    open_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)


def _unpack(release: Release, java: Path, folder: Path) -> None:
    if shutil.which("mvn") is None:
        apt_install("maven")
    if (maven := shutil.which("mvn")) is None:
        raise NodeError(f"Maven fetches {release.title}: install the package maven.")
    group = f"org.{release.product}.distribution.integ-test-zip"
    artifact = f"{group}:{release.product}:{release.version}:zip"
    # -U: Maven remembers for a day that it did not find something, even if the network was down.
    options = ["-q", "-B", "-U", "-Dstyle.color=never", f"-Dartifact={artifact}"]
    result = subprocess.run(
        [maven, *options, _UNPACK, f"-DoutputDirectory={folder}"],
        cwd=folder,  # Maven would read the pom.xml of the current project.
        env={**os.environ, "JAVA_HOME": str(java)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        errors = [line for line in result.stdout.splitlines() if line.startswith("[ERROR]")]
        reason = errors[0].removeprefix("[ERROR]").strip() if errors else "no reason given"
        raise NodeError(f"Maven could not fetch {release.title} ({reason}).")
