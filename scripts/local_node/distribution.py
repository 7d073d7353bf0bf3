"""Server distributions: fetched and unpacked once with Maven, from Maven Central or its mirror."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from es_simhash.store.home_folder import home_folder
from scripts.local_node.java import NodeError, apt_install

_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"


@dataclass(frozen=True)
class Module:
    """A module of a server whose zip comes without it, put together from its jars.

    Attributes:
        plugin: Class that the server loads.
        jars: Jars as group:artifact, with the version of the server, or group:artifact:version.
        permissions: What its code may do, in the words of a Java policy.
    """

    plugin: str
    jars: tuple[str, ...]
    permissions: tuple[str, ...] = ()


_MODULES: Mapping[str, Module] = {
    "mapper-extras": Module(
        "index.mapper.MapperExtrasPlugin", ("org.opensearch.plugin:mapper-extras-client",)
    ),
    "analysis-common": Module(
        "analysis.common.CommonAnalysisPlugin", ("org.opensearch.plugin:analysis-common",)
    ),
    "lang-painless": Module(
        "painless.PainlessPlugin",
        (
            "org.opensearch.plugin:lang-painless",
            "org.opensearch.plugin:opensearch-scripting-painless-spi",
            "org.antlr:antlr4-runtime:4.13.1",
            *(
                f"org.ow2.asm:asm{part}:9.7"
                for part in ("", "-analysis", "-commons", "-tree", "-util")
            ),
        ),
        ('RuntimePermission "createClassLoader"', 'RuntimePermission "getClassLoader"'),
    ),
    "ingest-common": Module(
        "ingest.common.IngestCommonPlugin",
        (
            "org.opensearch.plugin:ingest-common",
            "org.opensearch:opensearch-grok",
            "org.opensearch:opensearch-dissect",
            "org.jruby.joni:joni:2.2.1",
            "org.jruby.jcodings:jcodings:1.0.58",
        ),
    ),
    "reindex": Module(
        "index.reindex.ReindexPlugin",
        (
            "org.opensearch.plugin:reindex-client",
            "org.opensearch.client:opensearch-rest-client",
            "org.opensearch:opensearch-ssl-config",
            "org.apache.httpcomponents:httpclient:4.5.14",
            "org.apache.httpcomponents:httpasyncclient:4.1.5",
            "org.apache.httpcomponents:httpcore:4.4.16",
            "org.apache.httpcomponents:httpcore-nio:4.4.16",
            "commons-codec:commons-codec:1.16.1",
            "commons-logging:commons-logging:1.2",
        ),
    ),
}


@dataclass(frozen=True)
class Release:
    """A server that Maven Central has as a zip.

    Attributes:
        product: elasticsearch or opensearch.
        version: Its version.
        java: The oldest Java that runs it.
        modules: Modules that its zip lacks, by name.
        plugins: Plug-ins to unpack into it, which Maven Central has as zips of their own, by name.
    """

    product: str
    version: str
    java: int
    modules: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Product and version, as a message names them."""
        return f"{self.product.capitalize()} {self.version}"


ELASTICSEARCH = Release("elasticsearch", "9.5.3", 21)
# What a machine runs whose newest JDK is 17, as on Debian 12.
ELASTICSEARCH_8 = Release("elasticsearch", "8.19.21", 17)
# The oldest that is supported.
ELASTICSEARCH_8_15 = Release("elasticsearch", "8.15.5", 17)
# The Elasticsearch of Maven Central comes without its script and ingest modules, OpenSearch with.
OPENSEARCH = Release("opensearch", "3.6.0", 21)
# Its zip has none of its modules.
OPENSEARCH_2 = Release("opensearch", "2.19.3", 17, tuple(_MODULES))
# Of 3 Maven Central does not have it.
SECURED_OPENSEARCH = replace(OPENSEARCH_2, plugins=("opensearch-security",))
# By the name of `--engine`; None for the newest Elasticsearch that the JDKs of the machine run.
RELEASES: Mapping[str, Release | None] = {
    "elasticsearch": None,
    "elasticsearch-8": ELASTICSEARCH_8,
    "elasticsearch-8.15": ELASTICSEARCH_8_15,
    "opensearch": OPENSEARCH,
    "opensearch-2": OPENSEARCH_2,
}


def require_distribution(release: Release, java: Path) -> Path:
    """Return the folder of a distribution, downloaded and unpacked if need be.

    Raises:
        NodeError: Maven is missing, or could not fetch it.
    """
    name = "-".join((release.product, release.version, *release.plugins))
    target = home_folder() / "distributions" / name
    if target.is_dir():
        return target
    open_folder(target.parent)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        Path(scratch).chmod(0o755)
        group = f"org.{release.product}.distribution.integ-test-zip"
        artifact = f"{group}:{release.product}:{release.version}:zip"
        _fetch("unpack", artifact, release, java, Path(scratch))
        unpacked = next(Path(scratch).glob(f"{release.product}-*"))
        for name in release.modules:
            _put_together(name, release, java, unpacked / "modules" / name)
        for name in release.plugins:
            artifact = f"org.opensearch.plugin:{name}:{release.version}.0:zip"
            folder = unpacked / "plugins" / name
            folder.mkdir(parents=True)
            _fetch("unpack", artifact, release, java, folder)
            # Maven keeps there what it unpacked.
            shutil.rmtree(folder / "${project.basedir}", ignore_errors=True)
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


def _put_together(name: str, release: Release, java: Path, folder: Path) -> None:
    """Make the folder of a module, of its jars and what describes it."""
    module = _MODULES[name]
    folder.mkdir()
    for jar in module.jars:
        versioned = jar if jar.count(":") == 2 else f"{jar}:{release.version}"
        _fetch("copy", f"{versioned}:jar", release, java, folder)
    values = {
        "name": name,
        "description": name,
        "version": release.version,
        "opensearch.version": release.version,
        "java.version": "11",
        "classname": f"org.opensearch.{module.plugin}",
    }
    lines = [f"{key}={value}\n" for key, value in values.items()]
    (folder / "plugin-descriptor.properties").write_text("".join(lines), "utf-8")
    if module.permissions:
        grants = "".join(f"  permission java.lang.{each};\n" for each in module.permissions)
        (folder / "plugin-security.policy").write_text(f"grant {{\n{grants}}};\n", "utf-8")


def _fetch(goal: str, artifact: str, release: Release, java: Path, folder: Path) -> None:
    """Copy or unpack an artifact of Maven Central into a folder."""
    if shutil.which("mvn") is None:
        apt_install("maven")
    if (maven := shutil.which("mvn")) is None:
        raise NodeError(f"Maven fetches {release.title}: install the package maven.")
    # -U: Maven remembers for a day that it did not find something, even if the network was down.
    options = ["-q", "-B", "-U", "-Dstyle.color=never", f"-Dartifact={artifact}"]
    result = subprocess.run(
        [maven, *options, f"{_PLUGIN}:{goal}", f"-DoutputDirectory={folder}"],
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
