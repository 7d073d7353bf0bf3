"""Pages of what is counted over the whole index: the overview, and the lists behind its figures."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from es_simhash.maintenance.reports.index_report import IndexReport
from es_simhash.maintenance.reports.page import ReportPage
from es_simhash.service.callers import Caller
from es_simhash.service.dispatcher import Dispatcher, Value
from es_simhash.service.explorer.addresses import Addresses
from es_simhash.service.explorer.computed_values import Background
from es_simhash.service.explorer.explorer_reader import ExplorerReader
from es_simhash.service.explorer.page_contents import PAGE
from es_simhash.service.explorer.page_parameters import (
    ChosenScores,
    ChosenSizes,
    own_address,
    page_options,
)
from es_simhash.service.explorer.rendering import PageWriter
from es_simhash.service.explorer.report_links import ExplorerLinks
from es_simhash.service.responses import Problem

# Seconds that a page waits for what is computed in the background.
_WAIT, _SHORT_WAIT = 8.0, 2.5


@dataclass(frozen=True)
class CountedPages:
    """Shows what is computed in the background.

    Attributes:
        dispatcher: Answers questions in threads.
        reader: Reads the index.
        writer: Renders the pages.
    """

    dispatcher: Dispatcher
    reader: ExplorerReader
    writer: PageWriter
    _background: Background = field(default_factory=Background)

    def close(self) -> None:
        """End what runs in the background."""
        self._background.close()

    async def glance(self, caller: Caller) -> dict[str, Any]:
        """Return the figures of the first page; while they are being counted, the documents."""
        report, problem = None, ""
        key = self._key("glance", caller)
        try:
            report = await self._background.value(
                key, lambda: self.reader.glance(caller.filters), _SHORT_WAIT
            )
        except Problem as found:
            if found.status >= 500:
                raise
            problem = found.detail
        return {
            "can_search": await self._run(self.reader.can_search),
            "report": None if report is None else ReportPage(report, ExplorerLinks()),
            "documents": await self._run(lambda: self.reader.count(caller.filters)),
            "problem": problem,
        }

    async def _report(self, caller: Caller, seconds: float) -> IndexReport | None:
        key = self._key("report", caller)
        return await self._background.value(
            key, lambda: self.reader.report(caller.filters), seconds
        )

    async def families(self, request: Request, caller: Caller) -> Response:
        """Show families by their sizes, or the documents without versions."""
        chosen = page_options(ChosenSizes, request.query_params)
        low, high, page = chosen.low, chosen.high, chosen.page
        key = self._key("families", caller, low, high)
        sizes = await self._background.value(
            key, lambda: self.reader.families(low, high, caller.filters), _WAIT
        )
        if sizes is None:
            return self.writer.wait()
        families = sizes.families[(page - 1) * PAGE : page * PAGE]
        shown = await self._run(lambda: self.reader.representatives(families, caller.filters))
        return self.writer.page(
            "families.html", back=own_address(request.url), low=low, high=high, page=page,
            sizes=sizes, families=shown,
            has_next=len(sizes.families) > page * PAGE,
        )  # fmt: skip

    async def overview(self, request: Request, caller: Caller) -> Response:
        """Show how much of the index is versions, copies and unique."""
        report = await self._report(caller, _WAIT)
        if report is None:
            return self.writer.wait()
        back = own_address(request.url)
        links = ExplorerLinks(Addresses(back))
        return self.writer.page("overview.html", back=back, report=ReportPage(report, links))

    async def pairs(self, request: Request, caller: Caller) -> Response:
        """Show pairs of the sample by their scores, or copies of the same text."""
        wanted = page_options(ChosenScores, request.query_params)
        low, high, page = wanted.low, wanted.high, wanted.page
        is_copies = request.query_params.get("kind") == "copies"
        report = await self._report(caller, _WAIT)
        if report is None:
            return self.writer.wait()
        pairs: list[tuple[str, str, str, float]] = []
        if is_copies and report.exact is not None:
            pairs = [(a, b, "exact", 1.0) for a, b in report.exact.pairs]
        elif not is_copies and report.scores is not None:
            pairs = [
                (pair.a, pair.b, pair.kind, pair.score)
                for pair in report.scores.pairs
                if low <= pair.score < high or pair.score == high == 1
            ]
        chosen = pairs[(page - 1) * PAGE : page * PAGE]
        ids = list(dict.fromkeys(id for a, b, *_ in chosen for id in (a, b)))
        contexts = await self._run(lambda: self.reader.contexts(ids, caller.filters))
        shown = [pair for pair in chosen if pair[0] in contexts and pair[1] in contexts]
        return self.writer.page(
            "pairs.html", back=own_address(request.url), pairs=shown, contexts=contexts,
            low=low, high=high, page=page,
            total=len(pairs), is_copies=is_copies, at=report.at,
            has_next=len(pairs) > page * PAGE,
        )  # fmt: skip

    async def _run(self, work: Callable[[], Value]) -> Value:
        return await self.dispatcher.run(work)

    def _key(self, *parts: Any) -> str:
        return json.dumps(
            [part.filters if isinstance(part, Caller) else part for part in parts], sort_keys=True
        )
