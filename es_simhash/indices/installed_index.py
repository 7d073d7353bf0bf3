"""What every index that can be asked has: its names, and the schemes it was installed with."""

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.fingerprints.scheme import Scheme
from es_simhash.indices import install
from es_simhash.semantics.profile import SemanticScheme
from es_simhash.storage import fields


class InstalledIndex:
    """An index with our fields; the constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        text_field: Field of the text; dots lead into objects.
        field: Name of our object.
        scheme: Scheme of the index; by default it is read from the mapping, once.
        meaning: Scheme of what is read from the texts, where `scheme` is given too.
        vocabulary: File of synonyms or of a taxonomy.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        *,
        text_field: str = "text",
        field: str = fields.DEFAULT_FIELD,
        scheme: Scheme | None = None,
        semantics: SemanticScheme | None = None,
        vocabulary: str | None = None,
    ) -> None:
        self.client = client
        self.gateway = Gateway.of(client)
        self.name = name
        self.text_field = text_field
        self.field = field
        self.vocabulary = vocabulary
        self._installed = None if scheme is None else install.Installed(scheme, semantics)

    @property
    def scheme(self) -> Scheme:
        """The scheme of the index, read from its mapping once.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields.
        """
        return self._found.scheme

    @property
    def semantics(self) -> SemanticScheme | None:
        """The scheme of what is read from the texts; None when only versions are found."""
        return self._found.semantics

    @property
    def _found(self) -> install.Installed:
        if self._installed is None:
            self._installed = install.installed(self.client, self.name, self.field)
        return self._installed
