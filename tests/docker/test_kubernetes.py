"""The manifests: valid by the schemas of Kubernetes, as the images are, and unprivileged."""

import copy
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from es_simhash.service.config_file import read_configuration
from tests.docker.test_images import METADATA, ROOT, STAGES

FOLDER = ROOT / "docker" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))
MANIFESTS: dict[str, dict[str, Any]] = {
    name: yaml.safe_load((FOLDER / name).read_text("utf-8")) for name in KUSTOMIZATION["resources"]
}
BY_KIND = {manifest["kind"]: manifest for manifest in MANIFESTS.values()}
PODS = {
    "service": BY_KIND["Deployment"]["spec"]["template"],
    "ingest": BY_KIND["CronJob"]["spec"]["jobTemplate"]["spec"]["template"],
}
# The oldest with `preStop.sleep` and the stages of pods that are used, and one of today.
VERSIONS = ("1.30", "1.34")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_is_valid(name: str, version: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], version, strict=True)
    wrong = copy.deepcopy(MANIFESTS[name])
    wrong["spec"]["colour"] = "red"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, version, strict=True)


def test_every_file_is_applied() -> None:
    files = {path.name for path in FOLDER.iterdir()} - {"kustomization.yaml"}
    (generator,) = KUSTOMIZATION["configMapGenerator"]
    assert files == {*KUSTOMIZATION["resources"], *generator["files"]}
    assert set(BY_KIND) == {
        "Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget",
        "NetworkPolicy", "CronJob",
    }  # fmt: skip
    assert {image["name"] for image in KUSTOMIZATION["images"]} == {
        container["image"] for pod in PODS.values() for container in pod["spec"]["containers"]
    }
    assert {image["newTag"] for image in KUSTOMIZATION["images"]} == {
        METADATA["project"]["version"]
    }


@pytest.mark.parametrize("image", PODS)
def test_a_pod_writes_nothing_and_may_do_nothing(image: str) -> None:
    spec = PODS[image]["spec"]
    uid, gid = STAGES[image].all("USER")[-1].split(":")
    context = spec["securityContext"]
    assert context["runAsNonRoot"] is True
    assert (context["runAsUser"], context["runAsGroup"]) == (int(uid), int(gid))
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    (container,) = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "memory" in container["resources"]["limits"]
    # What is mounted is there; only a temporary folder can be written to.
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    mounts = container["volumeMounts"]
    assert {mount["name"] for mount in mounts} == set(volumes)
    writable = [volumes[mount["name"]] for mount in mounts if not mount.get("readOnly")]
    assert [set(volume) for volume in writable] == [{"name", "emptyDir"}]
    # No secret is in a manifest.
    assert all(set(variable) == {"name", "valueFrom"} for variable in container["env"])


def test_what_selects_pods_selects_those_there_are() -> None:
    labels = PODS["service"]["metadata"]["labels"]
    for selector in (
        BY_KIND["Deployment"]["spec"]["selector"]["matchLabels"],
        BY_KIND["Service"]["spec"]["selector"],
        BY_KIND["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
    ):
        assert selector == labels
        assert not selector.items() <= PODS["ingest"]["metadata"]["labels"].items()
    policy = BY_KIND["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]
    for pod in PODS.values():
        assert policy.items() <= pod["metadata"]["labels"].items()
    target = BY_KIND["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
    deployment = BY_KIND["Deployment"]
    assert target == {
        "apiVersion": deployment["apiVersion"],
        "kind": deployment["kind"],
        "name": deployment["metadata"]["name"],
    }
    # Scaled by one, counted by none.
    assert "replicas" not in deployment["spec"]


def test_the_ports_and_probes_are_those_of_the_image() -> None:
    (container,) = PODS["service"]["spec"]["containers"]
    (port,) = container["ports"]
    assert [str(port["containerPort"])] == STAGES["service"].all("EXPOSE")
    (named,) = BY_KIND["Service"]["spec"]["ports"]
    (ingress,) = BY_KIND["NetworkPolicy"]["spec"]["ingress"]
    assert named["targetPort"] == port["name"] == ingress["ports"][0]["port"]
    paths = {
        name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")
    }
    assert {probe["port"] for probe in paths.values()} == {port["name"]}
    # An engine that is away is no reason to restart a process.
    assert {name: probe["path"] for name, probe in paths.items()} == {
        "startup": "/healthz",
        "liveness": "/healthz",
        "readiness": "/readyz",
    }
    annotations = PODS["service"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(port["containerPort"])


def test_a_pod_is_given_the_time_that_requests_have_to_end() -> None:
    from es_simhash.service.server import _GRACE

    spec = PODS["service"]["spec"]
    (container,) = spec["containers"]
    waits = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert spec["terminationGracePeriodSeconds"] > waits + _GRACE


def mounted(folder: Path, configuration: Path, text: str, place: str) -> Path:
    """Write a configuration whose secrets are in a folder, as they are mounted in the container."""
    names = ("website-key", "names-secret", "website_key", "names_secret")
    for name in names:
        (folder / name).write_text("0123456789abcdef" * 3 + "\n", "utf-8")
    assert place in text
    file = folder / configuration.name
    file.write_text(text.replace(place, str(folder)), "utf-8")
    return file


@pytest.mark.parametrize(
    ("configuration", "place"),
    [
        (FOLDER / "service.toml", "/run/secrets/es-simhash"),
        (ROOT / "docker" / "service.toml", "/run/secrets"),
    ],
)
def test_the_configuration_is_valid_and_asks_for_a_key(
    configuration: Path, place: str, tmp_path: Path
) -> None:
    text = configuration.read_text("utf-8")
    config = read_configuration(mounted(tmp_path, configuration, text, place))
    assert not config.is_open
    assert [key.name for key in config.keys] == ["website"]
    assert config.origins
    assert config.secret == b"0123456789abcdef" * 3
    if configuration.parent == FOLDER:
        volumes = {volume["name"]: volume for volume in PODS["service"]["spec"]["volumes"]}
        paths = {item["path"] for item in volumes["secrets"]["secret"]["items"]}
        mounts = PODS["service"]["spec"]["containers"][0]["volumeMounts"]
        assert {"name": "secrets", "mountPath": place, "readOnly": True} in mounts
        assert all(f"{place}/{path}" in text for path in paths)


@pytest.mark.long
@pytest.mark.cluster
def test_the_sweep_of_the_manifest_runs(
    client: Any, cluster_url: str, index_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import json

    from click.testing import CliRunner

    from es_simhash.cli.main import cli
    from tests.support.shelf import text

    name = index_name
    (container,) = PODS["ingest"]["spec"]["containers"]
    arguments = [word.replace("my-index", name) for word in container["args"]]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELASTICSEARCH_URL", cluster_url)
    try:
        done = CliRunner().invoke(cli, ["install", name, "--no-semantics"])
        assert done.exit_code == 0, done.output
        client.index(index=name, id="1", document={"text": text(1)}, refresh=True)
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["enriched"]["written"] == 1
        assert client.get(index=name, id="1")["_source"]["simhash"]
        # Nothing is left in the pod but what its temporary folder holds.
        assert container["workingDir"] == container["volumeMounts"][0]["mountPath"]
    finally:
        own = f"{name},{name}-simhash,{name}-audit"
        client.indices.delete(index=own, ignore_unavailable=True)
