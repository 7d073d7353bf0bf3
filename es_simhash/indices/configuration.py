"""The configuration of an installed index, read from its mapping."""

from dataclasses import dataclass, replace
from functools import cached_property

from es_simhash.engine.gateway import Gateway
from es_simhash.indices.install import installed
from es_simhash.storage.config import IndexConfig


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
        schemes = installed(self.gateway, self.name, self.given.simhash_field)
        return replace(self.given, scheme=schemes.scheme, semantics=schemes.semantics)
