"""The connection of docs/privileges.md: HTTPS with an authority of one's own, and an API key."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from es_simhash.cli.main import cli
from tests.support.certificates import behind_https
from tests.support.page_blocks import blocks
from tests.support.proxy import Proxy

pytestmark = pytest.mark.cluster

KEY = "encoded-key-of-the-tests"


@pytest.fixture
def secured(cluster_url: str, tmp_path: Path) -> Iterator[tuple[Proxy, Path]]:
    """The engine behind HTTPS, and the certificate of its authority."""
    with behind_https(cluster_url, tmp_path) as proxy:
        yield proxy, tmp_path / "http_ca.crt"


@pytest.mark.long
def test_the_variables_of_the_page_connect(
    secured: tuple[Proxy, Path], tenants: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, authority = secured
    (block,) = (one for one in blocks("docs/privileges.md") if one.language == "sh")
    *exports, command = block.commands
    here = {
        "ELASTICSEARCH_URL": f"https://127.0.0.1:{proxy.server_port}",
        "ES_SIMHASH_API_KEY": KEY,
        "ES_SIMHASH_CA_CERTS": str(authority),
    }
    assert {line.split()[1].partition("=")[0] for line in exports} == set(here)
    assert command == "es-simhash related articles --id 17"
    arguments = ["related", tenants, "--id", "a1"]

    def run(**given: str) -> Any:
        for name, value in {**here, **given}.items():
            monkeypatch.setenv(name, value)
        proxy.keys.clear()
        return CliRunner().invoke(cli, arguments)

    done = run()
    assert done.exit_code == 0, done.output
    assert "a2" in done.output
    assert proxy.keys == {f"ApiKey {KEY}"}
    without = run(ES_SIMHASH_CA_CERTS="")
    assert without.exit_code == 1
    assert not proxy.keys
    assert KEY not in without.output
