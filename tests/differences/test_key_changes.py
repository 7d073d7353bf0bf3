"""Numbers, dates and names that differ, in every script that has digits."""

import pytest

from es_simhash import changes

Told = list[tuple[str, str | None, str | None]]


def told(a: str, b: str) -> Told:
    return [
        (change.kind, change.a.text if change.a else None, change.b.text if change.b else None)
        for change in changes(a, b).key_changes
    ]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("Pay in 16 days.", "Pay in 18 days.", [("number", "16", "18")]),
        ("Pay €1,000.50 now.", "Pay €1,200 now.", [("number", "€1,000.50", "€1,200")]),
        ("Eleven ships wait.", "Twenty-two ships wait.", [("number", "Eleven", "Twenty-two")]),
        ("It is 5 % of it.", "It is 6 % of it.", [("number", "5 %", "6 %")]),
        ("On 16 May 2020 it ends.", "On 16 May 2021 it ends.",
         [("date", "16 May 2020", "16 May 2021")]),
        ("From 2020-05-16 on.", "From 2020-06-16 on.", [("date", "2020-05-16", "2020-06-16")]),
        ("Am 3. Oktober 2020 endet es.", "Am 5. Oktober 2020 endet es.",
         [("date", "3. Oktober 2020", "5. Oktober 2020")]),
        ("Ends May 5 and not later.", "Ends May 5, 2020 and not later.",
         [("date", "May 5", "May 5, 2020")]),
        ("Mr Miller of Acme pays.", "Mr Baxter of Acme pays.",
         [("name", "Miller of Acme", "Baxter of Acme")]),
        ("第十六条 处五万元罚款。", "第十八条 处六万元罚款。",
         [("number", "第十六条", "第十八条"), ("number", "五万", "六万")]),
        ("自2016年8月3日起施行。", "自2017年8月3日起施行。",
         [("date", "2016年8月3日", "2017年8月3日")]),
        ("处三年徒刑。", "处五年徒刑。", [("number", "三", "五")]),
        ("خلال ١٦ يوما", "خلال ١٨ يوما", [("number", "١٦", "١٨")]),
        ("धारा १६ के अनुसार", "धारा १८ के अनुसार", [("number", "१६", "१८")]),
        ("It is -5 degrees here.", "It is 5 degrees here.", [("number", "-5", "5")]),
        ("He owes 1,000 now.", "He owes −1,000 now.", [("number", "1,000", "−1,000")]),
        ("He has (-$20) of it.", "He has ($20) of it.", [("number", "-$20", "$20")]),
        ("It is -5 now.", "It is −5 now.", []),
        ("See pages 5-10 of it.", "See pages 5-11 of it.", [("number", "10", "11")]),
        ("-3 May 2020: ends.", "-4 May 2020: ends.", [("date", "3 May 2020", "4 May 2020")]),
    ],
)  # fmt: skip
def test_facts_that_were_replaced(a: str, b: str, expected: Told) -> None:
    assert told(a, b) == expected


def test_a_number_that_was_taken_out_or_put_in() -> None:
    assert told("Pay within 30 days of it.", "Pay within days of it.") == [("number", "30", None)]
    assert told("Take 10 or 20 of them.", "Take 10 45 or 20 of them.") == [("number", None, "45")]


def test_a_number_that_only_stands_elsewhere_is_left_out() -> None:
    assert told("Of 16 days, use all.", "Of days, use all 16.") == []


def test_words_around_a_number_that_stays_are_no_key_change() -> None:
    assert told("Take 10 or 20 dogs.", "Take 10 20 dogs.") == []


def test_what_was_replaced_comes_first() -> None:
    found = told("Pay 5 now. All is due in 16 days.", "Pay now. All is due in 18 days.")
    assert found == [("number", "16", "18"), ("number", "5", None)]


def test_numbers_and_dates_of_a_new_clause_are_listed_in_their_order() -> None:
    kept = "The tenant pays on time.", "Either party may end the lease in writing."
    clause = (
        "The tenant leaves a deposit of 2,700 euros with Miller & Sons, who return it within 60 "
        "days after the end of the lease, at the latest on 30 June 2025, with interest of 1.5 %."
    )
    old, new = "\n\n".join(kept), "\n\n".join((kept[0], clause, kept[1]))
    listed = [("number", "2,700"), ("number", "60"), ("number", "1.5 %"), ("date", "30 June 2025")]
    assert told(old, new) == [(kind, None, fact) for kind, fact in listed]
    assert told(new, old) == [(kind, fact, None) for kind, fact in listed]


def test_numbers_of_a_new_clause_without_spaces_are_listed() -> None:
    kept = "承租人应按时支付租金。", "任何一方均可书面解除合同。"
    clause = "承租人应向出租人交付押金2700元，出租人应在租赁期满后60日内并不迟于2025年6月30日退还。"
    listed = [("number", "2700"), ("number", "60"), ("date", "2025年6月30日")]
    found = told("".join(kept), kept[0] + clause + kept[1])
    assert found == [(kind, None, fact) for kind, fact in listed]


def test_a_chapter_that_is_new_has_no_key_changes() -> None:
    kept = "The tenant pays on time."
    new = " ".join(f"In 20{n} the landlord owes {n} euros." for n in range(10, 50))
    assert told(kept, f"{kept}\n\n{new}") == []
