"""Texts in English, German, Chinese, Arabic and Hindi, with versions of each, and their strings."""

from functools import cache

_BEGINNINGS = {
    "en": (
        "The harbour opens at six in the morning, and the ferry leaves at seven. Two fishermen "
        "mend their nets near the old lighthouse and talk about the storm of last week.\n\n"
        "The committee met on Monday to discuss the new bridge. In conclusion, the members agreed "
        "that the engineers of the town should measure the current before the winter begins.\n\n"
        "Nobody had expected that the museum would find so many visitors on a rainy Sunday."
    ),
    "de": (
        "Der Hafen öffnet um sechs Uhr am Morgen, und die Fähre fährt um sieben. Zwei Fischer "
        "flicken ihre Netze neben dem alten Leuchtturm und reden über den Sturm der letzten Woche."
        "\n\nDer Ausschuss trat am Montag zusammen, um über die neue Brücke zu beraten. Die "
        "Mitglieder beschlossen, dass die Strömung vor dem Winter gemessen werden soll.\n\n"
        "Niemand hatte erwartet, dass das Museum an einem Sonntag so viele Besucher finden würde."
    ),
    "zh": (
        "港口早上六点开放,渡船七点出发。两个渔夫在旧灯塔旁边修补渔网,谈论上个星期的暴风雨。他们说今年的冬天会来得更早。\n\n"
        "委员会星期一开会讨论新的大桥。最后成员同意城市的工程师应该在冬天开始以前测量水流的速度,并且公布测量的结果。\n\n"
        "没有人想到博物馆在下雨的星期天会有这么多的游客前来参观,孩子们特别喜欢古代船只的模型。"
    ),
    "ar": (
        "يفتح الميناء أبوابه في السادسة صباحا وتغادر العبارة في السابعة. يصلح صيادان شباكهما قرب "
        "المنارة القديمة ويتحدثان عن عاصفة الأسبوع الماضي.\n\n"
        "اجتمعت اللجنة يوم الاثنين لمناقشة الجسر الجديد. واتفق الأعضاء على أن يقيس مهندسو المدينة "
        "سرعة التيار قبل بداية الشتاء.\n\n"
        "لم يتوقع أحد أن يجد المتحف هذا العدد الكبير من الزوار في يوم أحد ممطر."
    ),
    "hi": (
        "बंदरगाह सुबह छह बजे खुलता है और नाव सात बजे निकलती है। दो मछुआरे पुराने प्रकाशस्तंभ के पास "
        "अपने जाल ठीक करते हैं और पिछले सप्ताह के तूफान की बात करते हैं।\n\n"
        "समिति सोमवार को नए पुल पर चर्चा करने के लिए मिली। सदस्यों ने तय किया कि शहर के अभियंता "
        "सर्दियों से पहले धारा की गति मापेंगे।\n\n"
        "किसी ने नहीं सोचा था कि बरसात के रविवार को संग्रहालय में इतने दर्शक आएंगे।"
    ),
}
# A word in the middle of each text, and what a version has in its place.
_CHANGES = {
    "en": ("Monday", "Tuesday"),
    "de": ("Montag", "Dienstag"),
    "zh": ("星期一", "星期二"),
    "ar": ("الاثنين", "الثلاثاء"),
    "hi": ("सोमवार", "मंगलवार"),
}


@cache
def texts() -> dict[str, str]:
    """Return texts by id: of each language one, a copy, two versions, a part and another text."""
    found: dict[str, str] = {"empty": "?! —"}
    for language, beginning in _BEGINNINGS.items():
        old, new = _CHANGES[language]
        first, second, third = beginning.split("\n\n")
        found |= {
            f"{language}": beginning,
            f"{language}-copy": f"{beginning}\n",
            f"{language}-edited": beginning.replace(old, new, 1),
            f"{language}-reordered": "\n\n".join([third, first, second]),
            f"{language}-part": f"{first}\n\n{second}",
            f"{language}-other": third,
        }
    return found
