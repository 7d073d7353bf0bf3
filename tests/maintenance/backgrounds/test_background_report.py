"""The report on a background as sentences and as JSON."""

from dataclasses import replace

from es_simhash.maintenance.backgrounds.background_report import BackgroundReport, LearnedReport

NAME, BEFORE = "2026-11-23-0a1b2c3d", "2026-01-01-99999999"


def test_what_was_counted_is_named_with_its_languages() -> None:
    report = BackgroundReport("news", NAME, "2026-11-23T10:00:00Z", {"": 250, "de": 300, "en": 900})
    assert report.sentence() == f"Background {NAME} of 1,450 texts (other 250, de 300, en 900)."
    assert report.to_dict()["documents"] == 1450


def test_what_it_replaces_is_named_with_the_drift_if_that_is_known() -> None:
    replaced = BackgroundReport("news", NAME, languages={"en": 300}, replaced=BEFORE)
    assert replaced.sentence().endswith(f" It replaces {BEFORE}.")
    drifted = BackgroundReport("news", NAME, languages={"en": 300}, replaced=BEFORE, drift=0.234)
    assert drifted.sentence().endswith(f" It replaces {BEFORE}, from which it differs by 0.23.")


def test_too_few_texts_and_failures_are_one_reason_each() -> None:
    few = BackgroundReport("news", too_few={"de": 3, "en": 40}, replaced=BEFORE)
    assert few.sentence() == (
        "No background: 43 different texts, and 200 of one language are needed. "
        f"General word frequencies count. {BEFORE} is removed."
    )
    failed = BackgroundReport("news", problem="A shard does not answer. Wait.")
    assert failed.sentence() == "No background was counted: A shard does not answer. Wait."


def test_what_was_learned_is_said_with_what_to_do() -> None:
    report = BackgroundReport("news", NAME, languages={"en": 300})
    learned = replace(report, vectors=LearnedReport("2026-11-23-aaaaaaaa", 812))
    assert learned.sentence() == (
        f"Background {NAME} of 300 texts (en 300). Vectors 2026-11-23-aaaaaaaa of 812 words were "
        "learned. Run `es-simhash backfill news` to give them to documents; until then these are "
        "compared by the shipped vectors of English, concepts and names."
    )
    able = replace(report, can_learn=True)
    assert able.sentence().endswith(
        "There are texts enough for vectors of its own: run `es-simhash background news "
        "--vectors`, then `es-simhash backfill news`."
    )
    same = replace(report, vectors=LearnedReport("2026-11-23-aaaaaaaa", 812, "2026-11-23-aaaaaaaa"))
    assert same.sentence().endswith("were learned; they are those of before.")
    none = replace(report, vectors=LearnedReport(None, 0, "2026-11-23-aaaaaaaa"))
    assert none.sentence().endswith("count. 2026-11-23-aaaaaaaa stays.")
    assert learned.to_dict()["vectors"] == {
        "name": "2026-11-23-aaaaaaaa",
        "words": 812,
        "replaced": None,
    }
