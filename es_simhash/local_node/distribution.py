"""The Elasticsearch distribution: fetched from Maven Central with Maven, unpacked once."""

import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from es_simhash.errors import NodeError
from es_simhash.local_node.java import Java
from es_simhash.local_node.packages import apt_install, apt_usable
from es_simhash.local_node.settings import Report, available_versions
from es_simhash.store.home_folder import home_folder

PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
GROUP = "org.elasticsearch.distribution.integ-test-zip"


def cached_zip(version: str) -> Path | None:
    """Return the zip from the user's Maven repository when an earlier call left it there."""
    folder = Path.home() / ".m2" / "repository" / GROUP.replace(".", "/") / "elasticsearch"
    path = folder / version / f"elasticsearch-{version}.zip"
    return path if path.is_file() else None


def require_distribution(version: str, java: Java, *, report: Report) -> Path:
    """Return the folder of the distribution, downloaded and unpacked if need be.

    Raises:
        NodeError: Maven is missing, or Maven Central has no such version.
    """
    target = home_folder() / "distributions" / f"elasticsearch-{version}"
    if target.is_dir():
        return target
    open_folder(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        archive = cached_zip(version) or _download(version, java, Path(scratch), report)
        unpacked = unpack(archive, Path(scratch) / "unpacked")
        # One rename, so that an interrupted start leaves nothing half unpacked.
        unpacked.rename(target)
    return target


def open_folder(folder: Path) -> None:
    """Create a folder that every user may enter, whatever the caller's umask says."""
    if folder.is_dir():
        return
    open_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)


def _download(version: str, java: Java, folder: Path, report: Report) -> Path:
    """Download the zip with Maven, through whatever mirror its own settings name."""
    maven = require_maven(report)
    report(f"Fetching Elasticsearch {version} from Maven Central ...")
    artifact = f"{GROUP}:elasticsearch:{version}:zip"
    common = [maven, "-q", "-B", "-Dstyle.color=never", f"-Dartifact={artifact}"]
    # -U: Maven remembers for a day that it did not find something, even if the network was down.
    run_maven([*common, "-U", f"{PLUGIN}:get", "-Dtransitive=false"], version, java)
    run_maven([*common, f"{PLUGIN}:copy", f"-DoutputDirectory={folder}"], version, java)
    return folder / f"elasticsearch-{version}.zip"


def require_maven(report: Report) -> str:
    """Return the path of Maven, installed with apt if need be.

    Raises:
        NodeError: It is missing and cannot be installed from here.
    """
    if shutil.which("mvn") is None and apt_usable():
        apt_install("maven", report)
    maven = shutil.which("mvn")
    if maven is None:
        raise NodeError(
            "Maven, which downloads Elasticsearch from Maven Central, was not found (mvn on PATH). "
            "Install the package maven."
        )
    return maven


def run_maven(command: list[str], version: str, java: Java) -> None:
    """Run Maven to fetch a version.

    Raises:
        NodeError: It failed; the message has its reason.
    """
    result = subprocess.run(
        command,
        # An empty folder: Maven would read the pom.xml of the current project.
        cwd=tempfile.gettempdir(),
        env={**os.environ, "JAVA_HOME": str(java.home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise NodeError(_failure(result.stdout, version))


def _failure(output: str, version: str) -> str:
    if "Could not find artifact" in output:
        return f"Maven Central has no Elasticsearch {version}: {available_versions()}"
    errors = [line for line in output.splitlines() if line.startswith("[ERROR]")]
    reason = errors[0].removeprefix("[ERROR]").strip() if errors else "it gave no reason"
    return (
        f"Maven could not fetch Elasticsearch {version} ({reason}): "
        "check the network and Maven's settings.xml."
    )


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a zip with its permissions, which `extractall` drops; return its only folder.

    Raises:
        NodeError: The zip is damaged.
    """
    try:
        with zipfile.ZipFile(archive) as source:
            for entry in source.infolist():
                path = Path(source.extract(entry, folder))
                runnable = entry.is_dir() or (entry.external_attr >> 16) & 0o100
                path.chmod(0o755 if runnable else 0o644)
    except zipfile.BadZipFile as error:
        raise NodeError(f"{archive} is damaged ({error}). Delete it and start again.") from error
    folder.chmod(0o755)
    return next(folder.iterdir())
