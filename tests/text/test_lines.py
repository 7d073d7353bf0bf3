"""Lines that were cut to fit a width, and titles above texts."""

import pytest

from es_simhash.text.lines import title_of, unwrapped

BODY = "The crews of all ferries went back to work on Monday, after nine days of strike."
WRAPPED = (
    "The crews of all ferries to the northern\nislands went back to work on Monday, said\n"
    "Harland Stonecipher of the union.\n\nNo talks are planned.\n"
)


def test_a_line_that_has_no_room_for_the_next_word_goes_on() -> None:
    assert unwrapped(WRAPPED) == (
        "The crews of all ferries to the northern islands went back to work on Monday, said "
        "Harland Stonecipher of the union.\n\nNo talks are planned.\n"
    )


@pytest.mark.parametrize(
    "lines",
    [
        [
            "Die Mannschaften der Fähren zu den Inseln",
            "im Norden nahmen am Montag die Arbeit auf,",
            "nachdem sie neun Tage gestreikt hatten.",
        ],
        [
            "عاد طاقم العبارات إلى الجزر الشمالية إلى",
            "العمل يوم الاثنين بعد إضراب استمر تسعة أيام",
            "بحسب النقابة.",
        ],
        # A PDF has lines of equal length, as these scripts are cut anywhere.
        [f"{'全部船員於週一恢復工作' * 4}罷", f"工{'持續了九天之久仍無協議' * 4}", "工會說。"],
    ],
)
def test_lines_of_any_script_that_were_cut_go_on(lines: list[str]) -> None:
    assert unwrapped("\n".join(lines)) == " ".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "one\ntwo\nthree",
        "Net profit rose\nRevenue of the year to 31 December fell by a tenth\nShares rose",
        f"{BODY} {BODY}\nThe next paragraph of a text whose lines are not cut.",
    ],
)
def test_other_lines_stay_as_they_are(text: str) -> None:
    assert unwrapped(text) == text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"Ferry strike ends\n\n{BODY}", "Ferry strike ends"),
        (f"\n\n  Ferry strike ends \r\n\r\n{BODY}", "Ferry strike ends"),
        (f"Ferry strike ends\n{BODY}", "Ferry strike ends"),
        (f"Is the strike over?\n\n{BODY}", "Is the strike over?"),
        (f"# 上海市人才流动条例\n\n{'第一条为了规范人才流动。' * 5}", "# 上海市人才流动条例"),
    ],
)
def test_the_line_above_a_text_is_its_title(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    "lines",
    [
        [
            "轮渡罢工结束",
            "全部船员于周一恢复工作，此前他们罢工九天，要求提高工资并改善船上的住宿条件。",
            "工会表示目前没有进一步谈判的计划，但港口当局希望在下个月之前签署一份为期三年的新协议。",
            "“我们很高兴”，船长说，乘客们等待了很久，许多人不得不在码头上过夜。",
        ],
        [
            "ストライキ終わる",
            "　島々へ向かうフェリーの乗組員は九日間のストライキの後、月曜日に仕事に戻った。",
            "「交渉の予定はない」と組合の代表は述べ、港の当局は来月までに新しい協定を望んでいる。",
            "　多くの乗客は埠頭で夜を過ごさなければならなかった。",
        ],
        [
            "การนัดหยุดงานสิ้นสุดลง",
            "ลูกเรือของเรือข้ามฟากทั้งหมดกลับมาทำงานในวันจันทร์หลังจากหยุดงานเก้าวัน",
            "สหภาพแรงงานกล่าวว่ายังไม่มีแผนการเจรจาเพิ่มเติม แต่ท่าเรือหวังจะลงนามข้อตกลงใหม่",
            "ผู้โดยสารจำนวนมากต้องค้างคืนที่ท่าเรือ",
        ],
    ],
)
def test_a_title_is_above_paragraphs_of_scripts_without_spaces(lines: list[str]) -> None:
    assert title_of("\n".join(lines)) == lines[0]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        BODY,
        f"{BODY}\n\n{BODY} {BODY}",
        f"Is the strike over?\n{BODY}",
        WRAPPED,
        "Ferry strike ends\n\nIt is over",
        "Ferry strike ends\n",
        f"{'ferry ' * 40}\n\n{BODY * 10}",
    ],
)
def test_sentences_and_lines_without_a_longer_text_are_no_titles(text: str) -> None:
    assert title_of(text) == ""


def test_a_text_of_megabytes_is_read() -> None:
    assert title_of("a\n" * 1_000_000) == "a"
    assert title_of("a" * 2_000_000) == ""
