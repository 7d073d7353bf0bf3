"""The plan of an index, from a file, an index, or figures that come with the package."""

from es_simhash.errors import ClusterError
from es_simhash.maintenance.plans.cost_model import REFERENCE, Plan, PlanOptions, plan_for
from es_simhash.maintenance.plans.measured_sample import measured_file, measured_index
from es_simhash.maintenance.plans.sample_texts import is_file, sample_of_file, sample_of_index
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.errors import RequestRejected
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.protocol import Progress, no_progress

# Whether it is there does not matter.
_NO_INDEX = "es-simhash-plan"


def plan_index(
    client: Client,
    options: PlanOptions,
    *,
    config: IndexConfig | None = None,
    progress: Progress = no_progress,
) -> Plan:
    """Return what an index of so many documents will cost.

    Args:
        client: Client of a cluster. Documents of a file are written into indices of their own
            there, which are deleted again; where no cluster answers, constants say what it takes.
        options: How many documents, and like which.
        config: Names of the fields.
        progress: Called after each step.

    Raises:
        InputError: The sample is neither a file nor an index, or has no document with a text.
        ClusterError: The index cannot be read.
    """
    gateway, config, sample = Gateway.of(client), config or IndexConfig(), options.sample
    if sample is None:
        figures = REFERENCE
    elif is_file(sample):
        drawn = sample_of_file(sample, config)
        figures = measured_file(_answering(gateway), drawn, f"file {sample!r}", progress)
    else:
        drawn = sample_of_index(gateway, sample, config)
        figures = measured_index(gateway, sample, config, drawn)
    return plan_for(figures, options.documents, options.processes)


def _answering(gateway: Gateway) -> Gateway | None:
    """Return the gateway when its cluster answers."""
    try:
        gateway.exists(_NO_INDEX)
    except RequestRejected:
        return gateway
    except ClusterError:
        return None
    return gateway
