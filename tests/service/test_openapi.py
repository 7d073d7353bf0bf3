"""Every answer to every request that the OpenAPI document allows, and to some it does not."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.support.service import ODD_IDS, Serve

pytestmark = pytest.mark.cluster

UNLIMITED = ServiceConfig(limits=ServiceLimits(requests_per_minute=0))
RELAXED = settings(
    max_examples=25, suppress_health_check=list(HealthCheck), deadline=None, database=None
)
IDS = st.sampled_from(["a1", "b1", *ODD_IDS, "none"])


@pytest.mark.parametrize("name", ["positive", "negative"])
def test_no_answer_is_undocumented(serve: Serve, tenants: str, name: str) -> None:
    # Here: each process that collects the tests would take a second for it.
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = (
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    )
    mode = schemathesis.GenerationMode(name)
    http = serve(tenants, UNLIMITED)
    schema = schemathesis.openapi.from_dict(http.get("/v1/openapi.json").json())
    tried = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @RELAXED
        @given(case=operation.as_strategy(generation_mode=mode), id=IDS)
        def check(case: Any, id: str) -> None:
            # Made-up ids are never there: some are those of documents.
            if case.path_parameters and mode == schemathesis.GenerationMode.POSITIVE:
                case.path_parameters = dict.fromkeys(case.path_parameters, id)
            response = case.call(base_url=str(http.base_url))
            tried.append(response.status_code)
            case.validate_response(response, checks=checks)

        try:
            check()
        except schemathesis.errors.InvalidSchema:  # pragma: no cover
            raise
        except Exception as error:
            if type(error).__name__ != "Unsatisfiable":
                raise
    assert len(tried) > 50
    assert {200, 400} & set(tried)
