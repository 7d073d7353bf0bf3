"""Every answer to every request that the OpenAPI document allows, and to some it does not."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from es_simhash.service.service_config import ServiceConfig, ServiceLimits
from tests.support.service import ODD_IDS, Serve, tenant_config

pytestmark = pytest.mark.cluster

UNLIMITED = ServiceConfig(limits=ServiceLimits(requests_per_minute=0))
RELAXED = settings(
    max_examples=15, suppress_health_check=list(HealthCheck), deadline=None, database=None
)
IDS = st.sampled_from(["a1", "b1", *ODD_IDS, "none"])
RULES = Path(__file__).parents[1] / "bench" / "schemathesis.toml"


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("name", ["positive", "negative"])
def test_no_answer_is_undocumented(serve: Serve, tenants: str, name: str) -> None:
    # Here: each process that collects the tests would take a second for it.
    import schemathesis
    from schemathesis.checks import load_all_checks
    from schemathesis.config import SchemathesisConfig

    load_all_checks()
    mode = schemathesis.GenerationMode(name)
    http = serve(tenants, UNLIMITED)
    schema = schemathesis.openapi.from_dict(
        http.get("/v1/openapi.json").json(), config=SchemathesisConfig.from_path(RULES)
    )
    tried = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @RELAXED
        @given(case=operation.as_strategy(generation_mode=mode), id=IDS)
        def check(case: Any, id: str) -> None:
            # Made-up ids are never there: some are those of documents.
            if case.path_parameters and mode == schemathesis.GenerationMode.POSITIVE:
                case.path_parameters = dict.fromkeys(case.path_parameters, quote(id, safe=""))
            response = case.call(base_url=str(http.base_url))
            tried.append(response.status_code)
            case.validate_response(response)

        try:
            check()
        except schemathesis.errors.InvalidSchema:  # pragma: no cover
            raise
        except Exception as error:
            if type(error).__name__ != "Unsatisfiable":
                raise
    assert len(tried) > 50
    assert {200, 400} & set(tried)


def test_everything_that_is_answered_has_a_schema(serve: Serve, tenants: str) -> None:
    document = serve(tenants, tenant_config()).get("/v1/openapi.json").json()
    schemas = document["components"]["schemas"]
    names = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            names.append(operation["operationId"])
            assert operation["tags"], path
            assert operation["summary"], path
            for status, answer in operation["responses"].items():
                assert "X-Request-Id" in answer["headers"], (path, status)
            assert ("requestBody" in operation) == (method == "post"), path
            if path.startswith("/v1/"):
                assert operation["security"], path
                assert {"401", "429", "503"} < operation["responses"].keys(), path
    assert len(set(names)) == len(names)
    assert {
        *("Related", "Relation", "SharedPassage", "Span", "Coverage", "SemanticSimilarity"),
        *("Comparison", "Change", "KeyChange", "MovedBlock", "Family", "FamilyMember"),
        *("NearFamily", "Duplicate", "LostText", "ProblemDocument"),
    } < schemas.keys()
    untyped = [
        f"{name}.{member}"
        for name, schema in schemas.items()
        for member, described in schema["properties"].items()
        if not {"type", "$ref", "anyOf", "enum"} & described.keys()
    ]
    assert untyped == []
    optional = {
        f"{name}.{member}"
        for name, schema in schemas.items()
        for member in schema["properties"].keys() - {*schema["required"]}
    }
    assert optional == {"DraftBody.within"}
    # What is no array or object of known members is a field of a document, or a number by name.
    free = [
        f"{name}.{member}"
        for name, schema in schemas.items()
        for member, described in schema["properties"].items()
        if described.get("type") == "object"
    ]
    assert sorted(free) == ["Document.source", "Relation.source"]
