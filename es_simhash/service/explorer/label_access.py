"""The label file as the explorer uses it: in threads, with errors as answers of HTTP."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from es_simhash.errors import EsSimhashError, FileInUse
from es_simhash.service.callers import Caller
from es_simhash.service.dispatcher import Dispatcher, Value
from es_simhash.service.monitoring import log
from es_simhash.service.operations import Filters
from es_simhash.service.responses import Problem

if TYPE_CHECKING:
    from es_simhash.lab.evaluation.label_file import KnownLabels, SharedLabels
    from es_simhash.lab.evaluation.labelled_pairs import Pair


@dataclass(frozen=True)
class LabelFileAccess:
    """Reads and writes labels.

    Each method raises a `Problem` when the file cannot be used: 409 while another command has it,
    503 when it cannot be read or written.

    Attributes:
        dispatcher: Runs what reads and writes.
        visible_ids: Returns those of some ids whose documents match filters.
        labels: The file.
    """

    dispatcher: Dispatcher
    visible_ids: Callable[[Sequence[str], Filters], Collection[str]]
    labels: "SharedLabels"

    async def visible(self, pairs: Sequence["Pair"], caller: Caller) -> set[str]:
        """Return the ids of the pairs' documents that a caller may see now."""
        ids = list(dict.fromkeys(id for pair in pairs for id in pair))
        return set(await self.dispatcher.run(lambda: self.visible_ids(ids, caller.filters)))

    async def known(self) -> "KnownLabels":
        """Return the labels of the file."""
        return await self._with_file(self.labels.known)

    async def write(self, pair: "Pair", is_version: bool, caller: Caller) -> None:
        """Write a label.

        Raises:
            Problem: 404 when a document is gone, 409 when the pair has another label.
        """
        if not (await self.visible([pair], caller)).issuperset(pair):
            raise Problem(404, "One of the two documents is no longer there. Nothing was written.")
        label = await self._with_file(lambda: self.labels.add(pair, is_version=is_version))
        if label != is_version:
            raise Problem(
                409,
                f"The file has this pair already, as {'versions' if label else 'no versions'}. "
                "Nothing was written. Undo it while it is the last label, or edit the file.",
            )

    async def undo(self, pair: "Pair") -> None:
        """Remove the last label of the file.

        Raises:
            Problem: 409, when that is not the label of this pair.
        """
        if not await self._with_file(lambda: self.labels.take_back(pair)):
            raise Problem(
                409, "This label is not the last of the file any more. Nothing was undone."
            )

    async def _with_file(self, use: Callable[[], Value]) -> Value:
        """Return the result of using the label file."""

        def work() -> Value:
            try:
                return use()
            except FileInUse as error:
                raise Problem(
                    409,
                    "Another command is using the label file. Nothing was written; end that "
                    "command, and open this page again.",
                ) from error
            except EsSimhashError as error:
                log(logging.ERROR, "label file failed", error=True)
                raise Problem(
                    503,
                    "The label file cannot be used. Nothing was written; es-simhash serve --check "
                    "says what is wrong.",
                ) from error

        return await self.dispatcher.run(work)
