"""Component templates: the fields for the user's own index templates, and the user's settings.

Elasticsearch names the two sides alike: `simhash@mappings` is managed by es-simhash and replaced
by its next version; `simhash@custom` is the user's and never written here.
"""

import logging
from collections.abc import Mapping
from typing import Any

from es_simhash.store import resources
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway

MAPPINGS = resources.MAPPINGS
CUSTOM = "simhash@custom"

_logger = logging.getLogger(__name__)


def custom_template(client: Client) -> dict[str, Any]:
    """Return `mappings` and `settings` of the component template `simhash@custom`.

    Reading it needs the cluster privilege `manage_index_templates`, which es-simhash does without
    elsewhere: where it is missing, the template is skipped with a warning in the log.

    Returns:
        What the template has of the two; empty when there is no such template.
    """
    try:
        response = Gateway.of(client).request("GET", f"/_component_template/{CUSTOM}")
    except RequestRejected as error:
        if error.status == 403:
            _logger.warning(
                "Component template %r was not read, and so not applied: the cluster privilege "
                "manage_index_templates is missing.",
                CUSTOM,
            )
        elif error.status != 404:
            raise
        return {}
    template = response["component_templates"][0]["component_template"]["template"]
    return {kind: template[kind] for kind in ("mappings", "settings") if template.get(kind)}


def with_custom(mapping: Mapping[str, Any], custom: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that creates an index with this mapping and the user's template.

    They are merged as Elasticsearch merges the components of an index template: objects member by
    member, anything else is replaced by what the user's template has.
    """
    body: dict[str, Any] = {"mappings": dict(mapping)}
    return _merged(body, custom)


def _merged(base: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for name, value in later.items():
        present = result.get(name)
        if isinstance(present, Mapping) and isinstance(value, Mapping) and not _is_leaf(present):
            value = _merged(present, value)
        result[name] = value
    return result


def _is_leaf(mapping: Mapping[str, Any]) -> bool:
    """Check whether this maps a field with a type, which Elasticsearch replaces as a whole."""
    return isinstance(mapping.get("type"), str)
