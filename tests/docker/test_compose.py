"""The compose file: valid by the schema of Compose, and no container may do more than it needs."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docker.test_images import ROOT, STAGES

FILE = ROOT / "docker" / "compose.yml"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
OURS = ("ingest", "service")


def validated(file: Path) -> subprocess.CompletedProcess[str]:
    schema = ("--builtin-schema", "vendor.compose-spec")
    line = [sys.executable, "-m", "check_jsonschema", *schema, str(file)]
    return subprocess.run(line, capture_output=True, text=True)


@pytest.mark.long
def test_the_file_is_valid(tmp_path: Path) -> None:
    done = validated(FILE)
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "compose.yml"
    wrong.write_text(FILE.read_text("utf-8").replace("cap_drop:", "drop_caps:"), "utf-8")
    assert validated(wrong).returncode == 1


@pytest.mark.parametrize("name", OURS)
def test_our_containers_write_nothing_and_have_no_capabilities(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["build"]["target"] in STAGES
    assert (FILE.parent / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    # What is written is in volumes; what is read is mounted so.
    for volume in service.get("volumes", []):
        assert volume.endswith(":ro") or volume.split(":")[0] in COMPOSE["volumes"]
    # Secrets are files, never in the environment of the container or in this file.
    for secret in service.get("secrets", []):
        assert set(COMPOSE["secrets"][secret]) == {"file"}


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_container_is_bounded_and_unprivileged(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    limits = service["deploy"]["resources"]["limits"]
    assert {"cpus", "memory"} <= set(limits)
    assert not {"privileged", "cap_add", "network_mode", "pid", "user"} & set(service)
    # No port is open to other machines: one has no passwords, the other no TLS.
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_the_others_wait_until_elasticsearch_is_healthy() -> None:
    services = COMPOSE["services"]
    assert "healthcheck" in services["elasticsearch"]
    assert ":" in services["elasticsearch"]["image"]
    for name in OURS:
        condition = services[name]["depends_on"]["elasticsearch"]["condition"]
        assert condition == "service_healthy"
    (port,) = STAGES["service"].all("EXPOSE")
    assert services["service"]["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_the_service_is_started_with_its_configuration_and_counts_as_healthy_once_it_answers() -> (
    None
):
    service = COMPOSE["services"]["service"]
    index, option, path, *rest = service["command"]
    assert (option, rest) == ("--config", ["--workers", "2"])
    mounted = [volume.removesuffix(":ro").rpartition(":") for volume in service["volumes"]]
    ((source, _, target),) = mounted
    assert target == path
    assert (FILE.parent / source.partition(":-")[2].rstrip("}")).is_file()
    assert index.startswith("${")
    (port,) = STAGES["service"].all("EXPOSE")
    assert service["healthcheck"]["test"] == ["CMD", "es-simhash-health", port, "/readyz"]
    # The paths of its secrets are those that Compose mounts.
    text = (FILE.parent / "service.toml").read_text("utf-8")
    assert {f"/run/secrets/{name}" in text for name in service["secrets"]} == {True}
