"""The command of the experiments: names, folders, pages, and what is missing."""

import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from es_simhash.errors import InputError
from tests.bench.experiments import pages, run
from tests.bench.experiments.model import Result, Size
from tests.bench.experiments.version_sets import made_up, small_sets
from tests.support.page_blocks import blocks

TINY = Size(texts=8, draws=1, permutations=20, topic=4)
NEED_NO_DATA = [name for name in run.EXPERIMENTS if name != "topics"]
DOCS = Path(__file__).parents[2] / "docs"
_SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ES_SIMHASH_DATA", str(tmp_path_factory.mktemp("none") / "missing"))
        # Each process imports all libraries, which takes longer than these sizes.
        patch.setattr(run, "_PROCESSES", 1)
        found, reasons = run.run_all(list(run.EXPERIMENTS), TINY)
    assert list(reasons) == ["topics"]
    assert "ES_SIMHASH_DATA" in reasons["topics"]
    assert "\n" not in reasons["topics"]
    return found


def test_without_data_the_others_go_on(results: dict[str, Result]) -> None:
    assert list(results) == NEED_NO_DATA
    for name in ("criteria", "shingles"):
        assert "made-up texts" in results[name].notes[0]


@pytest.mark.parametrize("name", NEED_NO_DATA)
def test_every_experiment_writes_tables_and_labelled_plots(
    name: str, results: dict[str, Result], tmp_path: Path
) -> None:
    result = results[name]
    for table in result.tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}
    pages.write(tmp_path, name, result)
    page = (tmp_path / f"experiments-{name}.md").read_text("utf-8")
    assert page.count("\n### ") == len(result.tables)
    pictures = sorted(tmp_path.glob("*.svg"))
    assert len(pictures) == len(result.plots) >= 1
    for picture in pictures:
        assert f"]({picture.name})" in page
        _check_plot(ET.parse(picture).getroot())
        assert picture.stat().st_size < 100_000
        content = picture.with_suffix(".png").read_bytes()
        assert content.startswith(b"\x89PNG")


def _check_plot(root: ET.Element) -> None:
    """Check that a plot has a title, and that its words are text."""
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{_SVG}title", "").endswith("; the tables have the numbers")
    words = [each.text or "" for each in root.iter(f"{_SVG}text")]
    assert len(words) > 8
    assert any(len(word) > 4 for word in words)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    for each in root.iter(f"{_SVG}text"):
        assert 0 <= float(each.attrib["x"]) <= width
        assert 0 <= float(each.attrib["y"]) <= height


def test_shares_and_correlations_are_in_their_ranges(results: dict[str, Result]) -> None:
    (criteria,) = results["criteria"].tables
    # The weighted simhash does not read the made-up words.
    unread = {row[0] for row in criteria.rows if row[1] == "–"}
    assert unread <= {"weighted-simhash", "weighted-simhash-corpus"}
    f1 = {row[0]: float(row[1]) for row in criteria.rows if row[0] not in unread}
    assert all(0 <= value <= 1 for value in f1.values())
    assert list(f1.values()) == sorted(f1.values(), reverse=True)
    # Families of which nothing but versions share most of their words.
    assert f1["es-simhash"] > 0.8
    assert {row[2] for row in criteria.rows} == {"–"}
    (shingles,) = results["shingles"].tables
    assert [row[0] for row in shingles.rows] == [str(length) for length in range(2, 21)]


def test_made_up_sets_have_whole_families_and_strangers() -> None:
    truth = made_up(16)
    assert len(truth.texts) == 16
    assert len(truth.versions) == 4 * 3
    assert made_up(16, 1).texts["0-0"] != truth.texts["0-0"]
    assert all(letter >= "\u4e00" for letter in made_up(8, han=True).texts["0-0"] if letter != "。")


def test_sets_of_the_data_keep_families_whole() -> None:
    sets, (note,) = small_sets(24)
    if "made-up" in note:
        pytest.skip("no evaluation data")
    for truth in sets.values():
        assert 8 <= len(truth.texts) <= 24
        assert truth.versions
        assert {id for key in truth.versions for id in key} <= set(truth.texts)


def test_an_unknown_name_gives_one_sentence_with_the_names() -> None:
    with pytest.raises(InputError) as raised:
        run.chosen(["lsh", "spcae"])
    assert str(raised.value).startswith("Unknown experiment 'spcae'. Choose one of criteria, ")
    assert "\n" not in str(raised.value)


def test_names_come_in_their_order_and_once() -> None:
    assert run.chosen([]) == list(run.EXPERIMENTS)
    assert run.chosen(["error", "space", "error"]) == ["space", "error"]


def test_a_page_keeps_what_is_between_the_blocks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before\n<!-- lsh -->\nold\n<!-- end of lsh -->\nafter\n", "utf-8")
    pages.update(page, {"lsh": "new \\1 table"})
    expected = "Before\n<!-- lsh -->\nnew \\1 table\n<!-- end of lsh -->\nafter\n"
    assert page.read_text("utf-8") == expected
    page.write_text(expected.replace("new \\1 table\n", ""), "utf-8")
    pages.update(page, {"lsh": "new \\1 table"})
    assert page.read_text("utf-8") == expected
    with pytest.raises(InputError, match="has no block <!-- error -->"):
        pages.update(page, {"error": "table"})
    assert page.read_text("utf-8") == expected
    with pytest.raises(InputError, match="Cannot read page"):
        pages.update(tmp_path / "missing.md", {})


def test_a_folder_that_is_a_file_gives_one_sentence_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("<!-- lsh -->\n", "utf-8")
    monkeypatch.setattr(run, "run_all", lambda *_: pytest.fail("ran"))
    monkeypatch.setattr("sys.argv", ["run", "lsh", "--output", str(file)])
    with pytest.raises(InputError, match=r"Cannot write to folder .*file: File exists\."):
        run.main()
    monkeypatch.setattr("sys.argv", ["run", "--output", str(tmp_path), "--page", str(file)])
    with pytest.raises(InputError, match="has no block <!-- criteria -->"):
        run.main()


def test_the_page_has_the_figures_and_the_plots_of_every_experiment() -> None:
    page = (DOCS / "experiments.md").read_text("utf-8")
    for name in (*run.EXPERIMENTS, pages.MACHINE):
        block = page.partition(f"<!-- {name} -->\n")[2].partition(f"\n<!-- end of {name} -->")[0]
        assert block
        assert ("\n| --- |" in block) == (name != pages.MACHINE)
    pictures = re.findall(r"!\[[^\]]+\]\((pictures/experiments-[\w-]+\.svg)\)", page)
    assert {path.name for path in (DOCS / "pictures").glob("experiments-*.svg")} == {
        Path(picture).name for picture in pictures
    }
    for picture in pictures:
        _check_plot(ET.parse(DOCS / picture).getroot())


def test_the_commands_of_the_page_run(
    results: dict[str, Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each is run with the results of small inputs, which take seconds and not minutes.
    monkeypatch.setattr(
        run,
        "run_all",
        lambda names, size: ({name: results[name] for name in names if name in results}, {}),
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    (tmp_path / "docs" / "experiments.md").write_bytes((DOCS / "experiments.md").read_bytes())
    (block,) = (one for one in blocks("docs/experiments.md") if one.is_run)
    written = {}
    for command in block.commands:
        make, target, *settings = shlex.split(command)
        assert (make, target) == ("make", "experiments")
        arguments = shlex.split("".join(settings).removeprefix("ARGS="))
        before = set(tmp_path.rglob("*.*"))
        monkeypatch.setattr("sys.argv", ["run", *arguments])
        assert run.main() == 0
        written[command] = {
            path.relative_to(tmp_path) for path in set(tmp_path.rglob("*.*")) - before
        }
    everything, some, folder, page = written.values()
    assert Path("build/experiments/experiments-lsh.svg") in everything
    assert some == set()  # written over
    assert Path("FOLDER/experiments-space.png") in folder
    assert Path("docs/pictures/experiments-criteria.svg") in page
    text = (tmp_path / "docs" / "experiments.md").read_text("utf-8")
    assert "made-up texts" in text.partition("<!-- criteria -->")[2].partition("<!-- end")[0]
