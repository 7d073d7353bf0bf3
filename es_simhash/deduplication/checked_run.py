"""An ingest run that decides what to do with versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.dead_letter import DeadLetter
from es_simhash.bulk.outcome import Outcome, Status
from es_simhash.bulk.preparation import Prepared, action, fill, identify
from es_simhash.bulk.run import Account, Run, Settings, spot
from es_simhash.deduplication.candidate_search import Answers
from es_simhash.deduplication.decision import Decision, IncomingDocument
from es_simhash.deduplication.policy import VersionPolicy
from es_simhash.deduplication.preparation import Undecided, prepare_undecided
from es_simhash.engine.gateway import Client
from es_simhash.storage.config import IndexConfig

_LATER = "A later document has the same id."


@dataclass
class _Asked:
    """A batch for which the index was asked."""

    undecided: Undecided
    items: list[IncomingDocument]
    answers: Answers


class CheckedRun(Run):
    """One run on one index; batches are asked for side by side, and decided and sent in order.

    Args:
        client: The client.
        index: The index, with our fields.
        config: How documents become actions.
        settings: How the run works.
        dead_letter: Where documents go that fail.
        policy: Decides; it is open.
    """

    def __init__(
        self,
        client: Client,
        index: str,
        config: IndexConfig,
        settings: Settings,
        dead_letter: DeadLetter,
        policy: VersionPolicy,
    ) -> None:
        super().__init__(client, index, config, settings, dead_letter)
        self._policy = policy
        self._sender = policy.sender

    def _sent(self, number: int, batch: Batch) -> Account:
        asked = self._asked(batch)
        self._turns.wait_for(number)
        same = {id for _, id, reason in asked.undecided.prepared.unchanged if reason is None}
        if self._turns.written_lately(same) or self._policy.is_outdated(asked.answers.epoch):
            asked = self._asked(batch)
        # The next batch has its turn when this one is written: its decisions rest on that.
        done = self._settled(asked)
        self._turns.go(number, asked.undecided.prepared.ids)
        self._turns.leave(number)
        return _account(batch, asked.undecided.prepared, done)

    def _asked(self, batch: Batch) -> _Asked:
        epoch = self._policy.epoch
        found = self._sender.look_up(self._pool.submit(identify, batch, self._config).result())
        known: Mapping[str, Mapping[str, Any]] | None = None if self._settings.rewrite else found
        undecided = self._pool.submit(prepare_undecided, batch, self._config, known).result()
        items = list(
            undecided.items(found.keys(), self._config.text_field, self._policy.rules.date_field)
        )
        # What was looked up is as old as this, and so is what was answered at the earliest.
        return _Asked(undecided, items, replace(self._policy.ask(items), epoch=epoch))

    def _settled(self, asked: _Asked) -> "_Done":
        """Decide and write; what rests on a document that failed is decided once more."""
        done = _Done({}, {})
        items, answers = asked.items, asked.answers
        while items:
            decisions = self._policy.settle(items, answers)
            failures = self._written(decisions)
            self._policy.confirm(decisions, failures)
            for each in decisions:
                done.decisions[each.document.position] = each
                done.failures.pop(each.document.position, None)
                if each.id in failures and each.writes:
                    done.failures[each.document.position] = failures[each.id]
            again = [
                place
                for place, each in enumerate(decisions)
                if each.id not in failures and {each.other, each.superseded} & failures.keys()
            ]
            items = [items[place] for place in again]
            answers = Answers(answers.epoch, [answers.originals[place] for place in again])
        return done

    def _written(self, decisions: Sequence[Decision]) -> dict[str, str]:
        """Send what is to be written; give the reasons of what was refused by id."""
        # Of one id the last is sent: requests that are sent again would change their order.
        last = {each.id: each for each in decisions if each.writes}
        prepared = Prepared(
            ids=list(last), places=[each.document.position for each in last.values()]
        )
        field = self._config.simhash_field
        fill(prepared, [action(id, each.source(field)) for id, each in last.items()])
        failures = self._sender.send(prepared)
        return {prepared.ids[number]: reason for number, reason in failures.items()}


@dataclass
class _Done:
    """What became of the documents of a batch, by their places."""

    decisions: dict[int, Decision]
    failures: dict[int, str]


def _account(batch: Batch, prepared: Prepared, done: _Done) -> Account:
    placed = [(place, Outcome(id, "unchanged", why)) for place, id, why in prepared.unchanged]
    failed: list[tuple[int, str | None, str]] = [*prepared.refused]
    last = {each.id: place for place, each in sorted(done.decisions.items()) if each.writes}
    for place, each in done.decisions.items():
        if place in done.failures:
            failed.append((place, each.id, done.failures[place]))
        elif each.writes and last[each.id] != place:
            placed.append((place, Outcome(each.id, "unchanged", _LATER)))
        else:
            status: Status = "written" if each.writes else "skipped"
            placed.append((place, Outcome(each.id, status, each.summary)))
    for place, failed_id, reason in failed:
        placed.append((place, Outcome(failed_id, "failed", reason, spot(batch, place))))
    placed.sort(key=itemgetter(0))
    return Account([outcome for _, outcome in placed], failed)
