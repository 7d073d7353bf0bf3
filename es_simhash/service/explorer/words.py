"""Fixed words of the pages in the language of their reader: kinds, navigation, buttons.

Sentences are in English. What the widget says as well has the same words here, which a test checks.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

ENGLISH = "en"
# The words of each language, in this order; an English one names its row.
_LANGUAGES = ("de", "fr", "es", "zh", "ar", "hi")
RIGHT_TO_LEFT = ("ar",)
_ROWS: Mapping[str, tuple[str, ...]] = {
    "same text": (
        *("Gleicher Text", "Même texte", "Mismo texto"),
        *("文本相同", "النص نفسه", "वही पाठ"),
    ),
    "version": ("Fassung", "Version", "Versión", "版本", "نسخة", "संस्करण"),
    "contains the other": (
        *("Enthält das andere", "Contient l’autre", "Contiene el otro"),
        *("包含另一文档", "يتضمن الآخر", "इसमें दूसरा शामिल है"),
    ),
    "excerpt of the other": (
        *("Auszug aus dem anderen", "Extrait de l’autre", "Extracto del otro"),
        *("另一文档的节选", "مقتطف من الآخر", "दूसरे का अंश"),
    ),
    "shared passages": (
        *("Gemeinsame Passagen", "Passages communs", "Pasajes en común"),
        *("有相同段落", "مقاطع مشتركة", "साझा अंश"),
    ),
    "similar subject": (
        *("Ähnliches Thema", "Sujet proche", "Tema similar"),
        *("主题相近", "موضوع مشابه", "मिलता-जुलता विषय"),
    ),
    "no relation": (
        *("Nicht verwandt", "Aucun lien", "Sin relación"),
        *("无关", "لا صلة", "कोई संबंध नहीं"),
    ),
    "Search": ("Suche", "Recherche", "Búsqueda", "搜索", "بحث", "खोज"),
    "Overview": ("Überblick", "Vue d’ensemble", "Resumen", "概览", "نظرة عامة", "सारांश"),
    "Families": ("Familien", "Familles", "Familias", "版本族", "العائلات", "परिवार"),
    "Label": ("Beurteilen", "Étiqueter", "Etiquetar", "标注", "تصنيف", "लेबल"),
    "Skip to the content": (
        *("Zum Inhalt", "Aller au contenu", "Ir al contenido"),
        *("跳到内容", "انتقل إلى المحتوى", "सामग्री पर जाएँ"),
    ),
    "Compare": ("Vergleichen", "Comparer", "Comparar", "对比", "قارن", "तुलना करें"),
    "Compare with the one before": (
        *("Mit der vorigen vergleichen", "Comparer avec la précédente", "Comparar con la anterior"),
        *("与上一版本对比", "قارن بالسابقة", "पिछले से तुलना करें"),
    ),
    "Swap sides": (
        *("Seiten tauschen", "Inverser les côtés", "Intercambiar los lados"),
        *("左右互换", "بدّل الجانبين", "पक्ष बदलें"),
    ),
    "Previous": ("Zurück", "Précédent", "Anterior", "上一页", "السابق", "पिछला"),
    "Next": ("Weiter", "Suivant", "Siguiente", "下一页", "التالي", "अगला"),
    "Page": ("Seite", "Page", "Página", "页", "صفحة", "पृष्ठ"),
    "Text": ("Text", "Texte", "Texto", "正文", "النص", "पाठ"),
    "Fields": ("Felder", "Champs", "Campos", "字段", "الحقول", "फ़ील्ड"),
    "Its own page": (
        *("Seite des Dokuments", "Page du document", "Página del documento"),
        *("文档页面", "صفحة المستند", "दस्तावेज़ का पृष्ठ"),
    ),
    "Order": ("Reihenfolge", "Ordre", "Orden", "排序", "الترتيب", "क्रम"),
    "best match": (
        *("beste Treffer", "meilleurs résultats", "mejores resultados"),
        *("最佳匹配", "الأفضل تطابقًا", "सर्वोत्तम मिलान"),
    ),
    "newest": ("neueste", "plus récents", "más recientes", "最新", "الأحدث", "नवीनतम"),
    "represents the family": (
        *("vertritt die Familie", "représente la famille", "representa la familia"),
        *("代表该版本族", "تمثّل العائلة", "परिवार का प्रतिनिधि"),
    ),
    "joined by hand": (
        *("von Hand verbunden", "réunie à la main", "unida a mano"),
        *("手动合并", "ضُمّت يدويًا", "हाथ से जोड़ा गया"),
    ),
    "score": ("Wert", "score", "puntuación", "分数", "الدرجة", "अंक"),
    "other version": (
        *("Andere Fassungen", "Autres versions", "Otras versiones"),
        *("其他版本", "نسخ أخرى", "अन्य संस्करण"),
    ),
    "character": ("Zeichen", "Caractères", "Caracteres", "字符", "أحرف", "वर्ण"),
}
WORDS: Mapping[str, Mapping[str, str]] = {
    language: {english: row[place] for english, row in _ROWS.items()}
    for place, language in enumerate(_LANGUAGES)
}
_RANGE = re.compile(r"\s*([a-zA-Z]{1,8})[-\w]*\s*(?:;\s*q=([\d.]{1,5})\s*)?")
# No browser sends more.
_MAX_RANGES = 20
_language = ContextVar("reader_language", default=ENGLISH)


def language_of(accepted: str) -> str:
    """Return the language of those that a browser accepts in which there are words, else English.

    >>> language_of("pt-BR, de-CH;q=0.8, fr;q=0.9"), language_of("pt"), language_of("en, de;q=0.9")
    ('fr', 'en', 'en')

    Args:
        accepted: Content of the header Accept-Language.
    """
    ranges = (_RANGE.fullmatch(part) for part in accepted.split(",")[:_MAX_RANGES])
    weighed = [
        (_weight(found[2]), found[1].lower())
        for found in ranges
        if found and (found[1].lower() in WORDS or found[1].lower() == ENGLISH)
    ]
    weight, language = max(weighed, key=lambda each: each[0], default=(0.0, ENGLISH))
    return language if weight > 0 else ENGLISH


def _weight(quality: str | None) -> float:
    try:
        return 1.0 if quality is None else float(quality)
    except ValueError:
        return 0.0


@contextmanager
def read_in(language: str) -> Iterator[None]:
    """Write the words of pages in a language during the block."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def reader_language() -> str:
    """Return the language that words are written in."""
    return _language.get()
