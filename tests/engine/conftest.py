"""The proxy of the ingest tests, which sees and can reject each request."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "ingest_fixtures", Path(__file__).parents[1] / "ingest" / "conftest.py"
)
assert _spec is not None
assert _spec.loader is not None
_fixtures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_fixtures)
proxy = _fixtures.proxy
