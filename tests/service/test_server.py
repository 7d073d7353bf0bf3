"""How the server is run."""

from starlette.applications import Starlette

from es_simhash.service.server import server_settings
from es_simhash.service.service_config import ServiceConfig


def test_an_idle_connection_stays_open_longer_than_proxies_use_it() -> None:
    assert server_settings(Starlette, ServiceConfig()).timeout_keep_alive > 60
