"""The explorer's page on which a person labels pairs, the most useful first."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from shlex import quote as shell_quote
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from es_simhash.differences.rendering.comparison_page import ComparisonPage
from es_simhash.errors import InputError
from es_simhash.service.callers import Caller
from es_simhash.service.dispatcher import Value
from es_simhash.service.endpoints import Endpoints
from es_simhash.service.explorer.addresses import page_address
from es_simhash.service.explorer.computed_values import Background
from es_simhash.service.explorer.explorer_reader import ExplorerReader
from es_simhash.service.explorer.label_access import LabelFileAccess
from es_simhash.service.explorer.page_contents import ComparedDocuments, UsefulPairs
from es_simhash.service.explorer.page_parameters import (
    MAX_FORM_BYTES,
    MAX_SEED,
    FormSeal,
    PairPlace,
    form_fields,
    page_options,
    pair_field,
    require_own_page,
)
from es_simhash.service.explorer.rendering import PageWriter
from es_simhash.service.responses import Problem

if TYPE_CHECKING:
    from es_simhash.lab.evaluation.label_file import KnownLabels, SharedLabels
    from es_simhash.lab.evaluation.useful_pairs import OfferedPair

PATH = "label"
_ANSWERS = {"version": True, "not": False}
# Seconds that a page waits for the pairs, and that these are kept: their order stays the same.
_WAIT, _KEPT_SECONDS = 8.0, 3_600.0
# Pairs whose documents are looked up together, until both of one are there.
_CHUNK = 20


@dataclass(frozen=True)
class _Offer:
    """A pair to show: its place among all, and its documents compared."""

    place: int
    pair: "OfferedPair"
    comparison: ComparedDocuments


@dataclass(frozen=True)
class LabelPages:
    """Offers pairs, and writes labels.

    Attributes:
        endpoints: Endpoints of the API, which identify the caller and read bodies.
        reader: Reads the index.
        files: Uses the label file; None where pairs are not labelled.
        writer: Renders the pages.
    """

    endpoints: Endpoints
    reader: ExplorerReader
    files: LabelFileAccess | None
    writer: PageWriter
    _background: Background = field(default_factory=lambda: Background(seconds=_KEPT_SECONDS))

    def close(self) -> None:
        """End what runs in the background."""
        self._background.close()

    async def label(self, request: Request, caller: Caller) -> Response:
        """Show a pair, or write the answer of a form."""
        if self.files is None:
            raise Problem(404, "There is nothing at this address.")
        if request.method == "POST":
            return await self._answer(request, caller, self.files)
        return await self._offer(request, caller, self.files)

    async def _offer(self, request: Request, caller: Caller, files: LabelFileAccess) -> Response:
        place = page_options(PairPlace, request.query_params)
        start, seed = place.start, place.seed
        key = json.dumps([seed, caller.filters], sort_keys=True)
        useful = await self._background.value(key, lambda: self._pairs(seed, caller), _WAIT)
        if useful is None:
            heading = "Pairs are being searched"
            return self.writer.wait(heading, "Label")
        pairs = useful.pairs
        known = await files.known()
        new = [
            (place, pair)
            for place, pair in enumerate(pairs)
            if pair.ids not in known.labels and known.can_hold(pair.ids)
        ]
        following = [(place, pair) for place, pair in new if place >= start]
        offer = await self._first(following, caller, files)
        labelled = [known.labels[pair.ids] for pair in pairs if pair.ids in known.labels]
        values = {
            "seed": seed,
            "next_seed": seed % MAX_SEED + 1,
            "unreadable": useful.unreadable,
            "start": start,
            "total": len(pairs),
            "labelled": len(labelled),
            "versions": sum(labelled),
            "left": len(new),
            "unfit": sum(not known.can_hold(pair.ids) for pair in pairs),
            "format": known.format,
            "command": self._command(files.labels),
            "last": await self._last(pairs, known, caller, files),
            **self._offer_values(offer, caller),
        }
        # With no-referrer, browsers send no origin along with the form.
        headers = {"Referrer-Policy": "same-origin"}
        return await self._run(lambda: self.writer.page("label.html", headers=headers, **values))

    def _pairs(self, seed: int, caller: Caller) -> UsefulPairs:
        try:
            return self.reader.pairs(seed, caller.filters)
        except InputError as error:
            raise Problem(422, "No documents here are related to others, so no pairs.") from error

    def _offer_values(self, offer: _Offer | None, caller: Caller) -> dict[str, Any]:
        """Return the values of a pair for the page."""
        if offer is None:
            return {"pair": None, "place": None, "comparison": None}
        pair, comparison = offer.pair, offer.comparison
        shown = None
        if comparison.changes is not None:
            shown = ComparisonPage(
                comparison.changes,
                comparison.a["title"] or pair.first.id,
                comparison.b["title"] or pair.second.id,
                comparison.relation,
            )
        return {
            "pair": pair,
            "place": offer.place,
            "comparison": shown,
            "a": comparison.a,
            "b": comparison.b,
            "coverage": comparison.relation.coverage_sentence,
            "passages": len(comparison.relation.evidence),
            "value": pair_field(pair.ids),
            "token": self._seal.token(caller, pair.ids),
        }

    async def _first(
        self, candidates: list[tuple[int, "OfferedPair"]], caller: Caller, files: LabelFileAccess
    ) -> _Offer | None:
        """Return the first pair of which both documents can be shown."""
        for start in range(0, len(candidates), _CHUNK):
            chunk = candidates[start : start + _CHUNK]
            visible = await files.visible([pair.ids for _, pair in chunk], caller)
            for place, pair in chunk:
                if not visible.issuperset(pair.ids):
                    continue
                comparison = await self._compared(pair, caller)
                if comparison is not None:
                    return _Offer(place, pair, comparison)
        return None

    async def _compared(self, pair: "OfferedPair", caller: Caller) -> ComparedDocuments | None:
        """Return the comparison of a pair; None where a text is not there any more."""
        first, second = pair.first.id, pair.second.id
        try:
            return await self._run(lambda: self.reader.compare(first, second, caller.filters))
        except Problem as problem:
            if problem.status not in (404, 422):
                raise
            return None

    async def _last(
        self,
        pairs: tuple["OfferedPair", ...],
        known: "KnownLabels",
        caller: Caller,
        files: LabelFileAccess,
    ) -> dict[str, Any] | None:
        """Return the last label of the file, if the caller may see both documents."""
        last = known.last
        if last is None or not (await files.visible([last], caller)).issuperset(last):
            return None
        place, pair = next(
            ((place, pair) for place, pair in enumerate(pairs) if pair.ids == last), (None, None)
        )
        return {
            "documents": last,
            "is_version": known.labels[last],
            "pair": pair,
            "place": place,
            "value": pair_field(last),
            "token": self._seal.token(caller, last),
        }

    async def _answer(self, request: Request, caller: Caller, files: LabelFileAccess) -> Response:
        require_own_page(request.headers)
        body = await self.endpoints.body(request)
        if len(body) > MAX_FORM_BYTES:
            raise Problem(413, f"The body may have at most {MAX_FORM_BYTES} bytes.")
        form = form_fields(request.headers, body)
        pair = self._seal.pair(form, caller)
        chosen = page_options(PairPlace, form)
        place, seed = chosen.start, chosen.seed
        answer = form.get("answer", "")
        if answer in _ANSWERS:
            await files.write(pair, _ANSWERS[answer], caller)
        elif answer == "undo":
            await files.undo(pair)
        elif answer == "skip":
            place += 1
        else:
            raise Problem(400, "answer must be one of version, not, skip, undo.")
        address = page_address(PATH, 1, from_=place or None, seed=seed if seed > 1 else None)
        return RedirectResponse(address, 303)

    async def _run(self, work: Callable[[], Value]) -> Value:
        return await self.endpoints.dispatcher.run(work)

    def _command(self, labels: "SharedLabels") -> str:
        """Return the command that evaluates the file."""
        file, index = shell_quote(str(labels.path)), shell_quote(self.reader.index)
        return f"es-simhash lab evaluate {file} --index {index}"

    @property
    def _seal(self) -> FormSeal:
        return FormSeal(self.endpoints.config.secret, self.reader.index)
