"""The background that weighs the questions of an index, read again when another takes its place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from es_simhash.relation.analysed_text import QueryDocument, set_profile
from es_simhash.semantics.background import Background
from es_simhash.store.intents import FindBackground
from es_simhash.store.protocol import Steps, ask


@dataclass
class CurrentBackground:
    """The background of an index as it was read last; none before that.

    Each question asks for its name along with its searches: where another one is stored by then,
    it is read, and the question asked once more.
    """

    _background: Background | None = None

    def weigh(self, documents: Sequence[QueryDocument]) -> None:
        """Give the profiles of queries the background that is known."""
        for document in documents:
            if has_profile(document):
                profile = replace(document.text.profile, background=self._background)
                set_profile(document.text, profile)

    def read(self, documents: Sequence[QueryDocument]) -> Steps[None]:
        """Read the background, and give it to the profiles of queries.

        Raises:
            SchemeMismatch: It was counted with another semantic scheme, or by another version.
            InputError: It is not as it was written.
        """
        self._background = yield from ask(FindBackground())
        self.weigh(documents)

    def has_changed(self, documents: Sequence[QueryDocument], name: str | None) -> bool:
        """Check whether the background has another name than what queries were weighed with."""
        return any(name != _name(document) for document in documents if has_profile(document))


def has_profile(document: QueryDocument) -> bool:
    """Check whether a query has a semantic profile, which a background weighs."""
    return document.text.analyser.profiler is not None


def _name(document: QueryDocument) -> str | None:
    background = document.text.profile.background
    return None if background is None else background.name
