"""The configuration of an installed index, read from its mapping."""

from dataclasses import dataclass
from functools import cached_property

from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Client, Gateway
from es_simhash.store.fields import DEFAULT_FIELD
from es_simhash.store.mapping_meta import InstalledSchemes, schemes_of


@dataclass(frozen=True)
class InstalledIndex:
    """An index with `simhash` fields, whose schemes are read from its mapping once.

    Attributes:
        gateway: To the cluster.
        name: Of the index.
        given: What is known of its configuration.
        is_complete: True when nothing has to be read.
    """

    gateway: Gateway
    name: str
    given: IndexConfig
    is_complete: bool = False

    @cached_property
    def config(self) -> IndexConfig:
        """How the index is read and fingerprinted.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        if self.is_complete:
            return self.given
        installed = installed_schemes(self.gateway, self.name, self.given.simhash_field)
        return installed.applied(self.given)


def installed_schemes(client: Client, index: str, field: str = DEFAULT_FIELD) -> InstalledSchemes:
    """Return the schemes of an index; see `schemes_of`.

    Raises:
        IndexMissing: There is no such index.
    """
    return schemes_of(index, Gateway.of(client).mappings(index), field)
