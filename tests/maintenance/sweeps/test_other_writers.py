"""What other programs write while a sweep is under way, and how it knows whether anybody did."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from es_simhash.maintenance.families.family_writer import FamilyWriter
from es_simhash.maintenance.sweeps import sweep as module
from es_simhash.maintenance.sweeps.family_policy import FamilyPolicy

pytestmark = pytest.mark.cluster
Make = Callable[..., str]


@pytest.fixture
def rereadings(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """What each sweep that read its own writes again has found among them."""
    made: list[set[str]] = []
    read = module.overlooked_documents

    def noted(*arguments: Any) -> set[str]:
        made.append(read(*arguments))
        return made[-1]

    monkeypatch.setattr(module, "overlooked_documents", noted)
    return made


def update(index: Any, id: str, text: str) -> None:
    index.client.update(index=index.name, id=id, doc={"text": text})


def ingest(index: Any, id: str, text: str) -> None:
    index.put([{"id": id, "text": text}])


@pytest.fixture
def after_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Call a function in the next sweep, where it has read which documents were changed."""
    with monkeypatch.context() as patched:

        def run(write: Callable[[], None], step: str) -> None:
            original = getattr(module, step)

            def replaced(*arguments: Any, **more: Any) -> Any:
                patched.undo()
                if step == "find_families":
                    write()
                    return original(*arguments, **more)
                found = original(*arguments, **more)
                write()
                return found

            patched.setattr(module, step, replaced)

        yield run


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("step", ["find_families", "changed_documents"])
@pytest.mark.parametrize("write", [ingest, update])
@pytest.mark.parametrize("action", ["flag", "link"])
def test_a_text_that_is_changed_between_reading_and_families_is_decided(
    index: Any,
    make_text: Make,
    after_reading: Callable[..., None],
    write: Callable[..., None],
    step: str,
    action: str,
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": make_text(2)})
    index.sweep()
    # This one reads what the first wrote, about which it is not to decide.
    after_reading(lambda: write(index, "b", first), step)
    decisions = Counter[str]()
    for _ in range(2):
        decisions += index.sweep(action).decisions
    assert decisions == {action: 1}
    assert index.duplicates() == {"b": "a"}
    assert not index.sweep(action).decisions


def test_a_sweep_reads_its_own_writes_again_only_where_another_program_wrote(
    index: Any, make_text: Make, rereadings: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": make_text(2), "c": first, "empty": "", "d": make_text(4)})
    assert index.sweep("flag").decisions == {"flag": 1}
    # One without words, one that gets another text, and one that is removed.
    index.store({"e": first, "f": "", "g": make_text(7)})
    index.client.update(index=index.name, id="b", doc={"text": first})
    assert index.sweep("skip").decisions == {"flag": 1, "skip": 1}
    index.store({"longer": f"{make_text(4)} {make_text(5, 10)}"})
    assert index.sweep("replace", keep="longest").decisions == {"replace": 1}
    assert not index.sweep("flag").decisions
    assert rereadings == []
    decide = FamilyPolicy.decide

    def decided(self: FamilyPolicy, *arguments: Any) -> None:
        decide(self, *arguments)
        index.client.update(index=index.name, id="g", doc={"note": "new"})

    monkeypatch.setattr(FamilyPolicy, "decide", decided)
    index.store({"h": make_text(8)})
    assert not index.sweep("flag").decisions
    assert rereadings == [{"g"}]


@pytest.mark.long
def test_a_sweep_that_resumes_families_does_not_know_what_the_one_before_has_written(
    index: Any, make_text: Make, rereadings: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = make_text(1)
    index.store({"a": first, "b": first})
    write = FamilyWriter.write

    def killed(self: FamilyWriter, *arguments: Any) -> Any:
        write(self, *arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(FamilyWriter, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            index.sweep("flag")
    assert index.sweep("flag").decisions == {"flag": 1}
    assert rereadings == [set()]
    assert not index.sweep("flag").decisions
    assert len(rereadings) == 1
