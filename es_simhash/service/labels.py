"""The label file of the configuration, checked before the service starts."""

from es_simhash.errors import InputError
from es_simhash.lab.evaluation.shared_labels import SharedLabels
from es_simhash.service.configuration import ServiceConfig


def require_labels(config: ServiceConfig) -> None:
    """Check that pairs can be labelled, where the configuration names a label file.

    Raises:
        InputError: The file cannot be written or has a wrong line, or the pages are not served, or
            may not show texts.
    """
    if config.labels is None:
        return
    if not config.has_explorer:
        raise InputError("labels requires the explorer. Set explorer = true in the configuration.")
    if not config.evidence:
        raise InputError(
            "labels requires the texts of both documents. Set evidence = true in the configuration."
        )
    SharedLabels(config.labels).require_usable()
