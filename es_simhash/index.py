"""An index with everything that can be queried of it."""

from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.pairs.copies import CopiesReport, CopyProgress
from es_simhash.questions.index import Index as SearchedIndex


class Index(SearchedIndex):
    """An index, alias or data stream that has fingerprint fields.

    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        config: Names of the fields, and the vocabulary; evidence names its concepts. An index that
            was installed with a vocabulary weighs it too, and then it must be that file.
        read_schemes: Whether the schemes are read from the mapping, once; otherwise they are those
            of `config`.
    """

    def copies(
        self, *, options: CopyOptions | None = None, progress: CopyProgress | None = None
    ) -> CopiesReport:
        """Find the documents of different owners, or families, that share passages.

        See `find_copies`; nothing is written to the index.

        Args:
            options: Between which documents, and of which of them.
            progress: Called, now and then, with the number of pairs aligned and to align.

        Raises:
            InputError: No mapping has a field that was named, or no document can be compared.
            MappingConflict: The index has no fingerprint fields, or is a sidecar.
        """
        return find_copies(
            self.gateway, self.name, options=options, config=self.config, progress=progress
        )
