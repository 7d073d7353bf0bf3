// <related-documents>: other versions of a document, its neighbours, and why they are related.
// SPDX-License-Identifier: Apache-2.0
//
// One file for <script src> and for import, without a build step. Whatever comes from a document
// becomes a text node or a checked address, never markup, so that a strict Content-Security-Policy
// with Trusted Types needs no exception.
(() => {
  "use strict";

  // Outside a browser (rendering on a server) the import does nothing.
  if (!globalThis.customElements || customElements.get("related-documents")) return;

  const TEXTS = {
    en: {
      label: "Related documents", versions: "Other versions", related: "Related",
      loading: "Loading related documents…", empty: "No other versions or related documents.",
      error: "The related documents could not be loaded.", retry: "Try again", unexplained: "The reason could not be loaded.",
      loaded: "Other versions: {versions}. Related: {related}.", all: "Show all {n}",
      newer: "Newer", older: "Older", same: "Same date",
      exact: "Same text", version: "Version", contains: "Excerpt of this", excerpt_of: "Contains this",
      shares_passages: "Shares passages", semantic: "Similar subject",
      common: "{n} in common", ofThis: "{n} of this document", ofOther: "{n} of that document",
      terms: "In common", copies: "Further versions of it: {n}", why: "Why?", near: "Near in meaning:",
      both: "{this} of this document appears in the other one, and {other} of the other one in this one.",
      nearest: "Nearest in meaning", verbatim: "Word for word", nearly: "Nearly word for word", edited: "Edited", paraphrased: "Reworded",
      compare: "Compare", family: "All versions",
      here: "This document", there: "The other document", more: "Further shared passages: {n}",
      joined: "An editor marked both as versions of one document.", none: "There are no passages to show.",
    },
    de: {
      label: "Verwandte Dokumente", versions: "Andere Fassungen", related: "Verwandt",
      loading: "Verwandte Dokumente werden geladen …", empty: "Keine anderen Fassungen oder verwandten Dokumente.",
      error: "Die verwandten Dokumente konnten nicht geladen werden.", retry: "Erneut versuchen", unexplained: "Der Grund konnte nicht geladen werden.",
      loaded: "Andere Fassungen: {versions}. Verwandt: {related}.", all: "Alle {n} anzeigen",
      newer: "Neuer", older: "Älter", same: "Gleiches Datum",
      exact: "Gleicher Text", version: "Fassung", contains: "Auszug hieraus", excerpt_of: "Enthält dieses",
      shares_passages: "Gemeinsame Passagen", semantic: "Ähnliches Thema",
      common: "{n} gemeinsam", ofThis: "{n} dieses Dokuments", ofOther: "{n} jenes Dokuments",
      terms: "Gemeinsam", copies: "Weitere Fassungen davon: {n}", why: "Warum?", near: "In der Bedeutung nah:",
      both: "{this} dieses Dokuments stehen auch im anderen, {other} des anderen auch in diesem.",
      nearest: "Inhaltlich am nächsten", verbatim: "Wörtlich", nearly: "Fast wörtlich", edited: "Bearbeitet", paraphrased: "Umformuliert",
      compare: "Vergleichen", family: "Alle Fassungen",
      here: "Dieses Dokument", there: "Das andere Dokument", more: "Weitere gemeinsame Passagen: {n}",
      joined: "Die Redaktion hat beide als Fassungen eines Dokuments gekennzeichnet.", none: "Es gibt keine Passagen zum Anzeigen.",
    },
    fr: {
      label: "Documents associés", versions: "Autres versions", related: "Sur le même sujet",
      loading: "Chargement des documents associés…", empty: "Aucune autre version, aucun document associé.",
      error: "Impossible de charger les documents associés.", retry: "Réessayer", unexplained: "Impossible de charger la raison.",
      loaded: "Autres versions : {versions}. Sur le même sujet : {related}.", all: "Tout afficher ({n})",
      newer: "Plus récent", older: "Plus ancien", same: "Même date",
      exact: "Même texte", version: "Version", contains: "Extrait de celui-ci", excerpt_of: "Contient celui-ci",
      shares_passages: "Passages communs", semantic: "Sujet proche",
      common: "{n} en commun", ofThis: "{n} de ce document", ofOther: "{n} de l’autre document",
      terms: "En commun", copies: "Autres versions de celui-ci : {n}", why: "Pourquoi ?", near: "Proches par le sens :",
      both: "{this} de ce document se retrouve dans l’autre, et {other} de l’autre dans celui-ci.",
      nearest: "Sens le plus proche", verbatim: "Mot pour mot", nearly: "Presque mot pour mot", edited: "Modifié", paraphrased: "Reformulé",
      compare: "Comparer", family: "Toutes les versions",
      here: "Ce document", there: "L’autre document", more: "Autres passages communs : {n}",
      joined: "La rédaction les a désignés comme versions d’un même document.", none: "Aucun passage à afficher.",
    },
    es: {
      label: "Documentos relacionados", versions: "Otras versiones", related: "Relacionados",
      loading: "Cargando documentos relacionados…", empty: "No hay otras versiones ni documentos relacionados.",
      error: "No se pudieron cargar los documentos relacionados.", retry: "Reintentar", unexplained: "No se pudo cargar el motivo.",
      loaded: "Otras versiones: {versions}. Relacionados: {related}.", all: "Mostrar los {n}",
      newer: "Más reciente", older: "Más antiguo", same: "Misma fecha",
      exact: "Mismo texto", version: "Versión", contains: "Extracto de este", excerpt_of: "Contiene este",
      shares_passages: "Pasajes en común", semantic: "Tema similar",
      common: "{n} en común", ofThis: "{n} de este documento", ofOther: "{n} del otro documento",
      terms: "En común", copies: "Otras versiones de este: {n}", why: "¿Por qué?", near: "Cercanas en significado:",
      both: "El {this} de este documento aparece en el otro, y el {other} del otro en este.",
      nearest: "Sentido más próximo", verbatim: "Palabra por palabra", nearly: "Casi palabra por palabra", edited: "Editado", paraphrased: "Reformulado",
      compare: "Comparar", family: "Todas las versiones",
      here: "Este documento", there: "El otro documento", more: "Otros pasajes en común: {n}",
      joined: "La redacción los marcó como versiones de un mismo documento.", none: "No hay pasajes que mostrar.",
    },
    zh: {
      label: "相关文档", versions: "其他版本", related: "相关内容",
      loading: "正在加载相关文档…", empty: "没有其他版本或相关文档。",
      error: "无法加载相关文档。", retry: "重试", unexplained: "无法加载原因。",
      loaded: "其他版本：{versions}。相关内容：{related}。", all: "显示全部 {n} 项",
      newer: "较新", older: "较旧", same: "日期相同",
      exact: "文本相同", version: "版本", contains: "本文的节选", excerpt_of: "包含本文",
      shares_passages: "有相同段落", semantic: "主题相近",
      common: "{n} 相同", ofThis: "占本文 {n}", ofOther: "占该文 {n}",
      terms: "共同点", copies: "其另外的版本：{n}", why: "为什么？", near: "含义相近：",
      both: "本文的 {this} 出现在另一文档中，另一文档的 {other} 出现在本文中。",
      nearest: "意义最接近", verbatim: "逐字相同", nearly: "几乎逐字相同", edited: "有改动", paraphrased: "改写",
      compare: "对比", family: "全部版本",
      here: "本文", there: "另一文档", more: "其他相同段落：{n}",
      joined: "编辑将两者标为同一文档的版本。", none: "没有可显示的段落。",
    },
    ar: {
      label: "مستندات ذات صلة", versions: "نسخ أخرى", related: "ذات صلة",
      loading: "جارٍ تحميل المستندات ذات الصلة…", empty: "لا توجد نسخ أخرى ولا مستندات ذات صلة.",
      error: "تعذّر تحميل المستندات ذات الصلة.", retry: "إعادة المحاولة", unexplained: "تعذّر تحميل السبب.",
      loaded: "نسخ أخرى: {versions}. ذات صلة: {related}.", all: "عرض الكل ({n})",
      newer: "أحدث", older: "أقدم", same: "التاريخ نفسه",
      exact: "النص نفسه", version: "نسخة", contains: "مقتطف من هذا", excerpt_of: "يتضمن هذا",
      shares_passages: "مقاطع مشتركة", semantic: "موضوع مشابه",
      common: "{n} مشترك", ofThis: "{n} من هذا المستند", ofOther: "{n} من المستند الآخر",
      terms: "المشترك", copies: "نسخ أخرى منه: {n}", why: "لماذا؟", near: "متقاربة في المعنى:",
      both: "يرد {this} من هذا المستند في الآخر، ويرد {other} من الآخر في هذا.",
      nearest: "الأقرب معنى", verbatim: "حرفيًا", nearly: "شبه حرفي", edited: "معدَّل", paraphrased: "معاد الصياغة",
      compare: "قارن", family: "كل النسخ",
      here: "هذا المستند", there: "المستند الآخر", more: "مقاطع مشتركة أخرى: {n}",
      joined: "حدّدهما محرّر بوصفهما نسختين من مستند واحد.", none: "لا توجد مقاطع لعرضها.",
    },
    hi: {
      label: "संबंधित दस्तावेज़", versions: "अन्य संस्करण", related: "संबंधित",
      loading: "संबंधित दस्तावेज़ लोड हो रहे हैं…", empty: "कोई अन्य संस्करण या संबंधित दस्तावेज़ नहीं है।",
      error: "संबंधित दस्तावेज़ लोड नहीं हो सके।", retry: "फिर कोशिश करें", unexplained: "कारण लोड नहीं हो सका।",
      loaded: "अन्य संस्करण: {versions}। संबंधित: {related}।", all: "सभी {n} दिखाएँ",
      newer: "नया", older: "पुराना", same: "वही तारीख़",
      exact: "वही पाठ", version: "संस्करण", contains: "इसका अंश", excerpt_of: "इसमें यह शामिल है",
      shares_passages: "साझा अंश", semantic: "मिलता-जुलता विषय",
      common: "{n} समान", ofThis: "इस दस्तावेज़ का {n}", ofOther: "उस दस्तावेज़ का {n}",
      terms: "समान बातें", copies: "इसके अन्य संस्करण: {n}", why: "क्यों?", near: "अर्थ में निकट:",
      both: "इस दस्तावेज़ का {this} दूसरे में है, और दूसरे का {other} इसमें।",
      nearest: "अर्थ में सबसे निकट", verbatim: "शब्दशः", nearly: "लगभग शब्दशः", edited: "संपादित", paraphrased: "दूसरे शब्दों में",
      compare: "तुलना करें", family: "सभी संस्करण",
      here: "यह दस्तावेज़", there: "दूसरा दस्तावेज़", more: "अन्य साझा अंश: {n}",
      joined: "संपादक ने दोनों को एक ही दस्तावेज़ के संस्करण बताया है।", none: "दिखाने के लिए कोई अंश नहीं है।",
    },
  };
  const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|iw|ks|ps|sd|ug|ur|yi)\b/i;

  const GROUPS = {
    versions: ["exact", "version", "contains", "excerpt_of"],
    related: ["shares_passages", "semantic"],
  };
  const GROUP_NAMES = Object.keys(GROUPS);
  const TERMS_SHOWN = 6;
  const PASSAGES_SHOWN = 3;
  const PASSAGE_CHARACTERS = 420;
  // Of longer passages the beginnings are compared: a table of a megabyte, some milliseconds.
  const COMPARED_PIECES = 700;
  // Of words that both have, this many characters are shown beside what differs.
  const CONTEXT_CHARACTERS = 70;
  const TIMEOUT = 20_000;

  const STYLES = `
:host { display: block; min-inline-size: 0; }
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
[part~="root"] {
  --_text: var(--related-color, currentColor);
  --_muted: var(--related-muted, color-mix(in oklab, currentColor 74%, transparent));
  --_line: var(--related-border, color-mix(in oklab, currentColor 17%, transparent));
  --_tint: var(--related-surface, color-mix(in oklab, currentColor 6%, transparent));
  --_link: var(--related-accent, LinkText);
  --_gap: var(--related-gap, 1rem);
  --_round: var(--related-radius, 0.5rem);
  display: block; position: relative; min-block-size: var(--related-reserve, 24rem); color: var(--_text);
  font-family: var(--related-font, inherit); font-size: var(--related-font-size, inherit);
  font-style: normal; font-weight: 400; line-height: 1.45; text-align: start; text-indent: 0;
  text-transform: none; letter-spacing: normal; word-spacing: normal; white-space: normal;
  overflow-wrap: anywhere; cursor: auto;
}
/* Follows the colour of the page's own text, light or dark, whichever way the page chose it. */
@supports (color: oklch(from currentColor l c h)) {
  [part~="root"] { --_link: var(--related-accent, oklch(from currentColor clamp(0.45, l, 0.8) 0.13 255 / 1)); }
}
:host([layout="columns"]) [part~="root"] { min-block-size: var(--related-reserve, 20rem); }
:host([layout="compact"]) [part~="root"] { min-block-size: var(--related-reserve, 18rem); }
@media (max-width: 45rem) {
  :host([layout="columns"]) [part~="root"] { min-block-size: var(--related-reserve, 24rem); }
}
@media (max-width: 30rem) {
  :host(:not([layout="compact"])) [part~="root"] { min-block-size: var(--related-reserve, 29rem); }
  :host([layout="compact"]) [part~="root"] { min-block-size: var(--related-reserve, 26rem); }
}
/* Where there is nothing to show, nothing is reserved. */
[part~="root"]:is([data-state="empty"], [data-state="error"]) { min-block-size: 0 !important; }
[part~="root"]:focus { outline: none; }
:focus-visible { outline: 2px solid var(--_link); outline-offset: 2px; border-radius: 2px; }
h1, h2, h3, h4, h5, h6, p, ul, figure, blockquote { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--_link); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 0.15em; }
button {
  font: inherit; color: inherit; background: none; border: 1px solid var(--_line); border-radius: var(--_round);
  padding: 0.25em 0.75em; min-block-size: max(2rem, 24px); cursor: pointer;
}
button:hover { background: var(--_tint); }
[part~="groups"] { display: grid; gap: calc(var(--_gap) * 1.5); }
:host([layout="columns"]) [part~="groups"] {
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); align-items: start;
}
[part~="heading"] {
  font-size: 1.125em; font-weight: 700; line-height: 1.3;
  padding-block-end: 0.4em; border-block-end: 2px solid var(--_line);
}
[part~="count"] { color: var(--_muted); font-weight: 400; }
[part~="entry"] { padding-block: 0.7em; border-block-end: 1px solid var(--_line); }
[part~="title"] {
  font-weight: 600; line-height: 1.35;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
}
[part~="compare"], [part~="family"] { font-size: 0.875em; white-space: nowrap; }
[part~="family"] { display: inline-block; margin-block-start: 0.75em; }
[part~="row"] { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25em 0.75em; margin-block-start: 0.2em; }
[part~="meta"] { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25em 0.9em; flex: 1 1 12em; font-size: 0.875em; color: var(--_muted); }
[part~="direction"] {
  border: 1px solid var(--_line); border-radius: 1em; padding-inline: 0.6em; white-space: nowrap;
  line-height: 1.5;
}
[part~="newer"] {
  color: var(--_link); border-color: currentColor; font-weight: 600;
  background: color-mix(in oklab, currentColor 8%, transparent);
}
[part~="share"] { display: inline-flex; align-items: center; gap: 0.5em; white-space: nowrap; }
[part~="bar"] {
  display: inline-block; inline-size: 4em; block-size: 0.5em; overflow: hidden;
  border: 1px solid var(--_line); border-radius: 1em; background: var(--_tint);
}
[part~="fill"] { display: block; block-size: 100%; background: var(--_link); }
[part~="chips"] { display: flex; flex-wrap: wrap; gap: 0.35em; margin-block-start: 0.45em; font-size: 0.8125em; }
[part~="chip"] { border: 1px solid var(--_line); border-radius: 1em; padding-inline: 0.7em; line-height: 1.6; }
[part~="name"] { background: var(--_tint); font-weight: 600; }
[part~="toggle"] { border: 0; font-size: 0.875em; padding-inline: 0.5em; margin-inline-start: auto; white-space: nowrap; color: var(--_link); }
[part~="toggle"]::after {
  content: ""; display: inline-block; inline-size: 0.4em; block-size: 0.4em; margin-inline-start: 0.5em;
  border: solid currentColor; border-width: 0 2px 2px 0; transform: translateY(-0.15em) rotate(45deg);
}
[part~="toggle"][aria-expanded="true"]::after { transform: translateY(0.1em) rotate(225deg); }
[part~="reason"] { margin-block-start: 0.6em; font-size: 0.9375em; }
[part~="reason"] > * + * { margin-block-start: 0.75em; }
[part~="passages"] {
  display: grid; gap: 0.5em; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr));
}
[part~="passage-kind"] { margin-block-end: 0.35em; font-size: 0.875em; color: var(--_muted); }
[part~="passage"] { padding: 0.7em 0.85em; border-radius: var(--_round); background: var(--_tint); }
figcaption { font-size: 0.8125em; font-weight: 700; margin-block-end: 0.3em; }
blockquote { white-space: pre-line; }
mark { color: inherit; background: color-mix(in oklab, var(--_link) 22%, transparent); border-radius: 2px; }
[part~="all"] { margin-block-start: 0.75em; }
[part~="skeleton"] { display: grid; gap: 0.9em; overflow: hidden; max-block-size: var(--related-reserve, none); }
[part~="skeleton"] span { display: block; block-size: 1em; border-radius: 0.25em; background: var(--_tint); }
[part~="skeleton"] span:nth-child(odd) { inline-size: 70%; }
[part~="skeleton"] span:nth-child(even) { inline-size: 40%; margin-block-end: 0.7em; }
[part~="status"] { color: var(--_muted); padding-block-end: 0.75em; }
[part~="root"]:not([data-state="error"]) > [part~="status"], .sr-only {
  position: absolute; inline-size: 1px; block-size: 1px; padding: 0; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap;
}
:host([layout="compact"]) [part~="groups"] { gap: var(--_gap); }
:host([layout="compact"]) [part~="entry"] {
  display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 1em; padding-block: 0.2em;
}
:host([layout="compact"]) [part~="line"] { flex: 1 1 14em; }
:host([layout="compact"]) [part~="row"] { flex: 0 1 auto; margin: 0; }
:host([layout="compact"]) [part~="meta"] { flex: 0 1 auto; }
:host([layout="compact"]) [part~="reason"] { flex: 1 0 100%; }
:host([layout="compact"]) :is([part~="chips"], [part~="bar"], [part~="kind-version"] [part~="kind"]) { display: none; }
@media (prefers-reduced-motion: no-preference) {
  [part~="toggle"]::after { transition: transform 0.15s; }
  [part~="skeleton"] span { animation: related-pulse 1.4s ease-in-out infinite alternate; }
  @keyframes related-pulse { to { opacity: 0.45; } }
}
@media (forced-colors: active) {
  [part~="fill"] { background: CanvasText; forced-color-adjust: none; }
}
@media print {
  button { display: none; }
}
`;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);

  /** Make an element; children that are strings become text nodes, null is left out. */
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value !== null && value !== undefined && value !== "") element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /** Return a value if it is a text with something in it, else null. */
  const textOf = (value) => (typeof value === "string" && value.trim() ? value : null);

  /** Return a value if it can be the language of an element, else null. */
  function languageOf(value) {
    try {
      return textOf(value) && Intl.getCanonicalLocales(value)[0];
    } catch {
      return null;
    }
  }

  const listOf = (value) => (Array.isArray(value) ? value : []);

  const fill = (template, values) =>
    String(template).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

  /** Return the address of a link if following it runs nothing, else null. */
  function safeAddress(link) {
    if (!textOf(link)) return null;
    try {
      const address = new URL(link, document.baseURI);
      return ["http:", "https:"].includes(address.protocol) ? address.href : null;
    } catch {
      return null;
    }
  }

  /** Return a date and how to show it: a day alone is that day in every time zone. */
  function readDate(value) {
    const time = Date.parse(textOf(value) ?? "");
    const isDay = !String(value).includes("T");
    return Number.isNaN(time) ? null : { time, isDay };
  }

  const formats = new Map();

  /** Return a format of `Intl`, made once: making one takes longer than an entry. */
  function formatOf(kind, locale, options = {}) {
    const key = JSON.stringify([kind, locale, options]);
    if (!formats.has(key)) formats.set(key, new Intl[kind](locale, options));
    return formats.get(key);
  }

  /** Return the newest date first, those without one last, else in the order they came. */
  function newestFirst(relations) {
    const time = (relation) => readDate(relation.document?.date)?.time ?? -Infinity;
    return [...relations].sort((a, b) => (time(a) === time(b) ? 0 : time(b) - time(a)));
  }

  /** Return a share to show as it is: neither 0 nor 1 by rounding. */
  function shareOf(value) {
    if (!(value > 0)) return 0;
    return value >= 1 ? 1 : Math.min(0.99, Math.max(0.01, value));
  }

  /** Return what two documents have in common, the names first, each once. */
  function termsOf(relation) {
    const shared = listOf(relation.semantics?.shared).filter((term) => textOf(term?.text));
    const terms = [
      ...shared.filter((term) => term.is_entity),
      ...listOf(relation.semantics?.shared_vocabulary).filter(textOf).map((text) => ({ text })),
      ...shared.filter((term) => !term.is_entity),
    ];
    const known = new Set();
    return terms.filter(({ text }) => {
      const key = text.toLowerCase();
      return !known.has(key) && known.add(key);
    });
  }

  /** Return the beginning of a text, cut between two words and not inside a character. */
  function clip(text, length = PASSAGE_CHARACTERS) {
    if (text.length <= length) return text;
    const head = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
    return `${head.replace(/\s+\S{0,40}$/, "")} …`;
  }

  /** Return a stretch that two texts share, without its middle if it is long. */
  function abridge(text, isFirst) {
    if (text.length <= 3 * CONTEXT_CHARACTERS) return text;
    const tail = text.slice(-CONTEXT_CHARACTERS).replace(/^[\uDC00-\uDFFF]/, "");
    const end = `… ${tail.replace(/^\S{0,40}\s+/, "")}`;
    return isFirst ? end : `${clip(text, CONTEXT_CHARACTERS)} ${end.slice(2)}`;
  }

  /** Divide a text into words, characters of scripts without spaces, and what is between them. */
  const piecesOf = (text) =>
    text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+/gu) ?? [];

  /** Return which pieces of two texts are in no longest common subsequence of both. */
  function differing(a, b) {
    const width = b.length + 1;
    const table = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        table[i * width + j] =
          a[i] === b[j]
            ? table[(i + 1) * width + j + 1] + 1
            : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
      }
    }
    const own = [new Set(a.keys()), new Set(b.keys())];
    for (let i = 0, j = 0; i < a.length && j < b.length; ) {
      if (a[i] === b[j]) {
        own[0].delete(i++);
        own[1].delete(j++);
      } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i++;
      else j++;
    }
    return own;
  }

  /** Return the nodes of two passages, with what differs in them marked where most is equal. */
  function markedPassages(passage) {
    const texts = [passage.query.text, passage.hit.text];
    const unmarked = texts.map((text) => [clip(text)]);
    if (!["verbatim", "edited"].includes(passage.kind)) return unmarked;
    const pieces = texts.map((text) => piecesOf(text).slice(0, COMPARED_PIECES));
    const own = differing(...pieces);
    if (!own[0].size && !own[1].size) return unmarked;
    return pieces.map((ours, side) => markedPassage(ours, own[side]));
  }

  /** Return the nodes of words that differ: marks, blanks and signs around them are not marked. */
  function marked(text) {
    const [, before, words, after] = /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}]*)$/su.exec(text);
    return words ? [before, make("mark", { part: "changed" }, words), after] : [text];
  }

  function markedPassage(pieces, own) {
    const nodes = [];
    let length = 0;
    // A blank between two words that differ is marked with them.
    pieces.forEach((piece, place) => {
      if (own.has(place - 1) && own.has(place + 1) && !/[\p{L}\p{N}]/u.test(piece)) own.add(place);
    });
    for (let start = 0, end; start < pieces.length && length < PASSAGE_CHARACTERS; start = end) {
      const isOwn = own.has(start);
      for (end = start + 1; end < pieces.length && own.has(end) === isOwn; ) end += 1;
      const run = pieces.slice(start, end).join("");
      const text = isOwn ? clip(run) : abridge(run, start === 0);
      nodes.push(...(isOwn ? marked(text) : [text]));
      length += text.length;
      if (length >= PASSAGE_CHARACTERS && end < pieces.length) nodes.push(" …");
    }
    return nodes;
  }

  class RelatedDocuments extends HTMLElement {
    static observedAttributes = [
      "src", "document-id", "size", "max-versions", "max-related", "options", "evidence",
      "lang", "dir", "heading-level", "link-pattern", "compare-pattern", "family-pattern",
    ];

    /** Texts by language, for a page to add one: `RelatedDocuments.texts.pt = {...}`. */
    static texts = TEXTS;

    #state = "idle";
    #answer = null;
    #request = null;
    #isScheduled = false;
    // What was asked for changed while the element was in no document.
    #isStale = true;
    #strings = {};
    #headers = {};
    #relations = new WeakMap();
    // Evidence that was asked for, by the relation it is of.
    #explained = new WeakMap();
    #root = make("section", { part: "root", tabindex: "-1", "data-state": "idle", hidden: "hidden" });
    #status = make("p", { part: "status", role: "status" });
    #body = make("div", { part: "body" });

    constructor() {
      super();
      const shadow = this.attachShadow({ mode: "open" });
      shadow.adoptedStyleSheets = [sheet];
      this.#root.append(this.#status, this.#body);
      shadow.append(this.#root);
      for (const type of ["click", "auxclick"]) {
        this.#body.addEventListener(type, (event) => this.#reportClick(event));
      }
    }

    connectedCallback() {
      // Properties that were set before the script arrived hide the accessors of the class.
      for (const name of ["strings", "headers"]) {
        if (Object.hasOwn(this, name)) {
          const value = this[name];
          delete this[name];
          this[name] = value;
        }
      }
      if (this.#isStale || this.#state === "loading") this.#schedule();
    }

    disconnectedCallback() {
      this.#request?.abort();
      this.#request = null;
    }

    attributeChangedCallback(name, before, after) {
      if (before === after) return;
      if (/^(lang|dir|heading-level|.*-pattern)$/.test(name)) this.#render();
      else this.#schedule();
    }

    /** Texts of one's own, by name, in place of those of the language. */
    get strings() {
      return this.#strings;
    }

    set strings(value) {
      this.#strings = { ...value };
      this.#render();
    }

    /** Headers of the request, such as a signed token. */
    get headers() {
      return this.#headers;
    }

    set headers(value) {
      this.#headers = { ...value };
      this.#schedule();
    }

    /** Ask the service again. */
    reload() {
      this.#schedule();
    }

    /** Load once for all attributes that are set one after the other. */
    #schedule() {
      this.#isStale = true;
      if (this.#isScheduled || !this.isConnected) return;
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#isScheduled = false;
        if (this.isConnected) this.#load();
      });
    }

    async #load() {
      this.#request?.abort();
      const request = new AbortController();
      this.#request = request;
      this.#isStale = false;
      this.#answer = null;
      const documentId = this.getAttribute("document-id");
      if (!documentId) return this.#show("idle");
      this.#show("loading");
      const timer = setTimeout(() => request.abort(), TIMEOUT);
      try {
        const answers = await Promise.all(this.#questions().map(
          async ([name, query]) => [name, await this.#ask(documentId, query, request.signal)]));
        if (this.#request !== request) return;
        this.#answer = this.#joined(answers);
      } catch (error) {
        if (this.#request !== request) return;
        this.#show("error");
        return this.#dispatch("related-error", { documentId, status: error.status ?? null });
      } finally {
        clearTimeout(timer);
      }
      const { versions, related } = this.#groups();
      this.#show(versions.length + related.length ? "ready" : "empty");
      const { total = null, truncated = false } = this.#answer;
      this.#dispatch("related-loaded", {
        documentId, versions: versions.length, related: related.length, total, truncated,
      });
    }

    /** Return what is asked: all relations at once, or each group, by name, with its own limit. */
    #questions() {
      const options = new URLSearchParams(this.getAttribute("options") ?? "");
      const query = Object.fromEntries([...options.keys()].map((name) => [name, options.getAll(name)]));
      query.evidence = this.hasAttribute("evidence");
      const size = this.#size;
      if (!GROUP_NAMES.some((name) => this.hasAttribute(`max-${name}`))) {
        return [[null, { ...(size && { size }), ...query }]];
      }
      return GROUP_NAMES
        .map((name) => [name, this.#wholeNumber(`max-${name}`, 0) ?? size])
        .filter(([, limit]) => limit !== 0)
        .map(([name, limit]) => [name, { ...(limit && { size: limit }), ...query, kind: GROUPS[name] }]);
    }

    /** Ask one question; a limit above that of the service is lowered to what it answers without. */
    async #ask(documentId, query, signal) {
      let answer;
      try {
        answer = await this.#fetch("related", [documentId], query, signal);
      } catch (error) {
        if (error.status !== 400 || !query.size) throw error;
        const { size, ...rest } = query;
        answer = await this.#fetch("related", [documentId], rest, signal);
      }
      if (!Array.isArray(answer?.relations)) throw new Error("not an answer of this service");
      return answer;
    }

    /** Return the answers to all questions as one; by group, the total of each. */
    #joined(answers) {
      if (answers.length === 0) return { relations: [], total: 0 };
      const whole = answers.map(([, answer]) => answer);
      if (answers[0][0] === null) return whole[0];
      return {
        ...whole[0],
        relations: whole.flatMap((answer) => answer.relations),
        total: whole.reduce((sum, answer) => sum + answer.total, 0),
        truncated: whole.some((answer) => answer.truncated),
        totals: Object.fromEntries(answers.map(([name, answer]) => [name, answer.total])),
      };
    }

    /** Ask the service for what stands at an address that ends with ids. */
    async #fetch(name, ids, query, signal) {
      const base = new URL(this.getAttribute("src") || "/", document.baseURI);
      // A path of dots would lead out of the folder, however it is escaped.
      if (ids.some((id) => /^\.{1,2}$/.test(id))) throw new Error("no address leads to this id");
      const path = [base.pathname.replace(/\/$/, ""), "v1", name, ...ids.map(encodeURIComponent)].join("/");
      const address = new URL(path, base.origin);
      address.search = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one])));
      const response = await fetch(address, {
        signal, headers: { Accept: "application/json", ...this.#headers },
      });
      if (!response.ok) throw Object.assign(new Error("no answer"), { status: response.status });
      return response.json();
    }

    get #size() {
      return this.#wholeNumber("size", 1);
    }

    /** Return the whole number of an attribute; null without one, or where it is less than a number. */
    #wholeNumber(name, least) {
      const value = this.hasAttribute(name) ? Number(this.getAttribute(name) || NaN) : NaN;
      return Number.isInteger(value) && value >= least ? value : null;
    }

    /** Return the relations of both groups, as they are shown. */
    #groups() {
      const relations = listOf(this.#answer?.relations)
        .filter((relation) => relation && textOf(relation.id))
        .slice(0, this.#answer?.totals ? undefined : this.#size ?? undefined);
      const of = (kinds) => relations.filter((relation) => kinds.includes(relation.kind));
      return { versions: newestFirst(of(GROUPS.versions)), related: of(GROUPS.related) };
    }

    #dispatch(type, detail, cancelable = false) {
      return this.dispatchEvent(
        new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable }),
      );
    }

    #show(state) {
      const budget = this.#budget();
      this.#state = state;
      this.#render();
      if (state === "ready" && budget) this.#fit(budget);
    }

    /** Return the height that is reserved, in pixels; 0 where the page reserves none. */
    #budget() {
      if (this.#state !== "loading") return 0;
      const reserved = parseFloat(getComputedStyle(this.#root).minBlockSize) || 0;
      const height = this.#root.offsetHeight;
      // What the page's server rendered has pushed the rest of the page further down already.
      if (reserved && height > reserved && this.#hasFallback) {
        this.#root.style.minBlockSize = `${height}px`;
      }
      return reserved && Math.max(reserved, height);
    }

    get #hasFallback() {
      return [...this.children].some((child) => !child.slot && child.localName !== "template");
    }

    get #language() {
      const nearest = this.closest("[lang]") ?? document.documentElement;
      return nearest.lang || "en";
    }

    get #texts() {
      const language = this.#language.toLowerCase().split("-")[0];
      return { ...TEXTS.en, ...TEXTS[language], ...this.#strings };
    }

    /** Return the language for numbers and dates; a malformed one would throw where it is used. */
    get #locale() {
      try {
        return Intl.getCanonicalLocales(this.#language);
      } catch {
        return ["en"];
      }
    }

    #render() {
      const state = this.#state;
      const texts = this.#texts;
      const language = this.#language;
      const direction = this.getAttribute("dir") || (RIGHT_TO_LEFT.test(language) ? "rtl" : "ltr");
      this.#root.hidden = state === "idle";
      this.#root.dataset.state = state;
      this.#root.lang = language;
      this.#root.dir = direction;
      this.#root.setAttribute("aria-label", texts.label);
      this.#root.setAttribute("aria-busy", String(state === "loading"));
      for (const child of [...this.children]) if (/^entry-\d/.test(child.slot)) child.remove();
      const bodies = {
        idle: () => [],
        loading: () => this.#waiting(),
        error: () => [this.#retryButton(texts), make("slot")],
        empty: () => [],
        ready: () => [this.#groupsElement(texts)],
      };
      this.#body.replaceChildren(...bodies[state]());
      const { versions, related } = this.#groups();
      const values = { versions: versions.length, related: related.length };
      this.#status.textContent = state === "ready" ? fill(texts.loaded, values) : texts[state] ?? "";
    }

    #waiting() {
      if (this.#hasFallback) return [make("slot")];
      const lines = Array.from({ length: 6 }, () => make("span"));
      return [make("div", { part: "skeleton", "aria-hidden": "true" }, ...lines)];
    }

    #retryButton(texts) {
      const button = make("button", { type: "button", part: "retry" }, texts.retry);
      button.addEventListener("click", () => {
        // The button goes; the keyboard stays in the widget.
        this.#root.focus({ preventScroll: true });
        this.reload();
      });
      return button;
    }

    #groupsElement(texts) {
      const groups = Object.entries(this.#groups()).filter(([, relations]) => relations.length);
      return make("div", { part: "groups" }, ...groups.map(([name, relations]) =>
        this.#groupElement(name, relations, texts)));
    }

    #groupElement(name, relations, texts) {
      const level = Number(this.getAttribute("heading-level"));
      const heading = make(
        `h${level >= 1 && level <= 6 ? Math.trunc(level) : 2}`,
        { part: "heading", id: `heading-${name}` },
        `${texts[name]} `,
        make("span", { part: "count" }, this.#count(relations.length, this.#answer.totals?.[name])),
      );
      const entries = relations.map((relation, position) =>
        this.#entry(relation, name, position, texts));
      // Safari takes a list without bullets for no list, unless it is told.
      const list = make("ul", { part: "list", role: "list", "aria-labelledby": heading.id }, ...entries);
      const family = name === "versions" ? this.#familyLink(texts) : null;
      return make("div", { part: `group ${name}` }, heading, list, family);
    }

    /** Return how many are shown, and of how many, or how many at least, where there are more. */
    #count(shown, total) {
      if (!(total > shown)) return this.#number(shown);
      return `${this.#number(shown)} / ${this.#number(total)}${this.#answer.truncated ? "+" : ""}`;
    }

    /** Return a link to all versions, null where the page has none for them. */
    #familyLink(texts) {
      const family = textOf(this.#answer?.document?.family);
      const address = family && this.#filled("family-pattern", { family });
      return address ? make("a", { part: "family", href: address }, texts.family) : null;
    }

    /** Return a link to the page that compares the document with another, the older one first. */
    #compareLink(relation, shown, texts) {
      const own = this.getAttribute("document-id");
      const [older, newer] = relation.direction === "older" ? [relation.id, own] : [own, relation.id];
      const address = this.#filled("compare-pattern", { older, newer });
      return address && make("a", { part: "compare", href: address }, texts.compare,
        make("span", { class: "sr-only", dir: "auto" }, ` ${shown.title}`));
    }

    #entry(relation, group, position, texts) {
      const shown = this.#shown(relation, group, texts);
      const template = [...this.children].find(
        (child) => child.localName === "template" && child.slot === "entry");
      const reason = make("div", {
        part: "reason", id: `reason-${group}-${position}`, hidden: "hidden", "aria-live": "polite",
      });
      const explain = (whole) => reason.replaceChildren(...this.#reason(whole, shown, texts));
      const compare = this.#compareLink(relation, shown, texts);
      const toggle = this.#toggle(shown, reason, texts, () => this.#explain(relation, reason, explain));
      const head = template
        ? [this.#ownEntry(template, shown, `entry-${group === "versions" ? 0 : 1}-${position}`),
           make("div", { part: "row" }, compare, toggle)]
        : this.#ordinaryEntry(shown, compare, toggle, texts);
      const entry = make("li", { part: `entry kind-${relation.kind}` }, ...head, reason);
      this.#relations.set(entry, { relation, group, position, link: shown.link });
      return entry;
    }

    /** Return what an entry says, as texts. */
    #shown(relation, group, texts) {
      const context = relation.document ?? {};
      const direction = group === "versions" && ["newer", "older", "same"].includes(relation.direction)
        ? relation.direction : null;
      return {
        ...this.#shareShown(relation, texts),
        title: textOf(context.title) ?? relation.id,
        language: languageOf(context.language),
        link: this.#filled("link-pattern", { id: relation.id }) ?? safeAddress(context.link),
        date: textOf(context.date),
        dateText: this.#dateText(context.date),
        group,
        kind: relation.kind,
        kindText: texts[relation.kind],
        direction,
        directionText: direction && texts[direction],
        copiesText: relation.copies > 0
          ? fill(texts.copies, { n: this.#number(relation.copies) }) : null,
        terms: group === "related" ? termsOf(relation).slice(0, TERMS_SHOWN) : [],
      };
    }

    /** Return an address by a pattern of the page, null without one. */
    #filled(attribute, values) {
      const pattern = this.getAttribute(attribute);
      // A path of dots would lead elsewhere, however it is escaped.
      if (!pattern || Object.values(values).some((value) => /^\.{1,2}$/.test(value))) return null;
      return safeAddress(fill(pattern, Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]))));
    }

    /** Return the share of this document that the other has; of one in this, that of the other. */
    #shareShown(relation, texts) {
      const { of_query: here, of_hit: there } = relation.coverage ?? {};
      const [share, text] = {
        exact: [1, texts.common],
        version: [here, texts.ofThis],
        contains: [here, texts.ofThis],
        excerpt_of: [there, texts.ofOther],
        shares_passages: [here, texts.ofThis],
      }[relation.kind] ?? [0];
      return share > 0 ? { share, shareText: fill(text, { n: this.#percent(share) }) } : {};
    }

    #number(value) {
      return formatOf("NumberFormat", this.#locale).format(value);
    }

    #percent(share) {
      return formatOf("NumberFormat", this.#locale, { style: "percent" }).format(shareOf(share));
    }

    #dateText(value) {
      const date = readDate(value);
      if (!date) return textOf(value);
      const format = date.isDay
        ? { dateStyle: "long", timeZone: "UTC" } : { dateStyle: "long", timeStyle: "short" };
      return formatOf("DateTimeFormat", this.#locale, format).format(date.time);
    }

    #ordinaryEntry(shown, compare, toggle, texts) {
      const attributes = { part: "title", dir: "auto", lang: shown.language };
      const title = shown.link
        ? make("a", { ...attributes, href: shown.link }, shown.title)
        : make("span", attributes, shown.title);
      const arrow = { newer: "↑ ", older: "↓ " }[shown.direction];
      const meta = make(
        "div", { part: "meta" },
        shown.direction && make("span", { part: `direction ${shown.direction}` },
          arrow && make("span", { "aria-hidden": "true" }, arrow), shown.directionText),
        make("span", { part: "kind" }, shown.kindText),
        shown.dateText && make("time", { part: "date", datetime: shown.date }, shown.dateText),
        shown.share && this.#shareElement(shown),
        shown.copiesText && make("span", { part: "copies" }, shown.copiesText),
      );
      const chips = shown.terms.length ? this.#chips(shown.terms, shown.language, texts) : null;
      return [make("div", { part: "line" }, title), make("div", { part: "row" }, meta, compare, toggle), chips];
    }

    #shareElement(shown) {
      const bar = make("span", { part: "fill" });
      // Through the object model: a policy that forbids style attributes allows it.
      bar.style.inlineSize = `${shareOf(shown.share) * 100}%`;
      return make("span", { part: "share" },
        make("span", { part: "bar", "aria-hidden": "true" }, bar), make("span", {}, shown.shareText));
    }

    #chips(terms, language, texts) {
      const chips = terms.map((term) =>
        make("li", { part: term.is_entity ? "chip name" : "chip concept", dir: "auto" }, term.text));
      return make("ul", { part: "chips", role: "list", "aria-label": texts.terms, lang: language }, ...chips);
    }

    /** Fill the page's own template; it stays in the page, where the page's styles reach it. */
    #ownEntry(template, shown, slot) {
      const own = make("div", { slot });
      own.append(document.importNode(template.content, true));
      const values = {
        title: shown.title, date: shown.dateText, kind: shown.kindText, direction: shown.directionText,
        share: shown.shareText, copies: shown.copiesText,
        terms: shown.terms.map((term) => term.text).join(", "),
      };
      for (const element of own.querySelectorAll("[data-field]")) {
        const value = values[element.dataset.field];
        element.textContent = value ?? "";
        element.hidden = !value;
        if (element.dataset.field === "date" && element.localName === "time") {
          element.dateTime = shown.date ?? "";
        }
      }
      for (const element of own.querySelectorAll("a[data-link]")) {
        if (shown.link) element.href = shown.link;
        else element.removeAttribute("href");
      }
      this.append(own);
      return make("slot", { name: slot });
    }

    #toggle(shown, reason, texts, explain) {
      const button = make(
        "button",
        { type: "button", part: "toggle", "aria-expanded": "false", "aria-controls": reason.id },
        texts.why, make("span", { class: "sr-only", dir: "auto" }, ` ${shown.title}`),
      );
      button.addEventListener("click", () => {
        if (!reason.childNodes.length) explain();
        reason.hidden = !reason.hidden;
        button.setAttribute("aria-expanded", String(!reason.hidden));
      });
      return button;
    }

    /** Fill a reason: from the answer, or with evidence that is asked for once. */
    async #explain(relation, reason, fill) {
      if (this.hasAttribute("evidence") || listOf(relation.evidence).length) return fill(relation);
      const lines = make("div", { part: "skeleton", "aria-hidden": "true" }, make("span"), make("span"));
      reason.replaceChildren(lines);
      const ids = [this.getAttribute("document-id"), relation.id];
      try {
        const answer = this.#explained.get(relation) ??
          (await this.#fetch("evidence", ids, {}, AbortSignal.timeout(TIMEOUT)));
        if (!answer?.relation) throw new Error("not an answer of this service");
        this.#explained.set(relation, answer);
        // What was shown of the relation stays as it is.
        fill({ ...answer.relation, kind: relation.kind, coverage: relation.coverage });
      } catch {
        const retry = make("button", { type: "button", part: "retry" }, this.#texts.retry);
        retry.addEventListener("click", () => this.#explain(relation, reason, fill));
        reason.replaceChildren(make("p", { part: "note" }, this.#texts.unexplained), retry);
      }
    }

    /** Return the elements that say why two documents are related. */
    #reason(relation, shown, texts) {
      const { of_query: here, of_hit: there } = relation.coverage ?? {};
      const evidence = listOf(relation.evidence).filter(
        (passage) => textOf(passage?.query?.text) && textOf(passage?.hit?.text));
      const further = evidence.length - PASSAGES_SHOWN;
      const both = { this: this.#percent(here), other: this.#percent(there) };
      const terms = termsOf(relation);
      return [
        relation.joined === true ? make("p", { part: "note" }, texts.joined) : null,
        relation.kind !== "semantic" && (here > 0 || there > 0)
          ? make("p", { part: "note" }, fill(texts.both, both)) : null,
        ...evidence.slice(0, PASSAGES_SHOWN).map((passage) => this.#pair(passage, shown, texts)),
        further > 0 ? make("p", { part: "note" }, fill(texts.more, { n: further })) : null,
        evidence.length ? null : make("p", { part: "note" }, texts.none),
        shown.group === "related" && terms.length > shown.terms.length ? this.#chips(terms, shown.language, texts) : null,
        shown.group === "related" ? this.#near(relation, shown, texts) : null,
      ].filter(Boolean);
    }

    /** Return the words of both texts that are near each other in meaning; null for none. */
    #near(relation, shown, texts) {
      const { of_query: here, of_hit: there } = relation.semantics?.near ?? {};
      const languages = [languageOf(this.#answer?.document?.language), shown.language];
      const sides = [here, there].map((words) => listOf(words).map((word) => textOf(word?.text)).filter(Boolean).join(", "));
      if (!sides.every(Boolean)) return null;
      const [ours, theirs] = sides.map((words, side) => make("bdi", { lang: languages[side] }, words));
      return make("p", { part: "note near" }, `${texts.near} `, ours, " – ", theirs);
    }

    #pair(passage, shown, texts) {
      const [here, there] = markedPassages(passage);
      const isNearly = passage.kind === "verbatim" && here.length + there.length > 2;
      const kind = isNearly ? "nearly" : passage.kind;
      const quote = (caption, nodes, language) =>
        make("figure", { part: "passage" }, make("figcaption", {}, caption),
          make("blockquote", { dir: "auto", lang: language }, ...nodes));
      const ownLanguage = languageOf(this.#answer?.document?.language);
      return make(
        "div", { part: "pair" },
        make("p", { part: "passage-kind" }, texts[kind] ?? ""),
        make("div", { part: "passages" },
          quote(texts.here, here, ownLanguage), quote(texts.there, there, shown.language)),
      );
    }

    /** Hide the last entries that do not fit into what was reserved, behind a button. */
    #fit(budget) {
      if (this.#root.offsetHeight <= budget + 1) return;
      const lists = [...this.#body.querySelectorAll('[part~="list"]')].map((list) => ({
        height: list.offsetHeight,
        entries: [...list.children].map((element) => ({ element, height: element.offsetHeight })),
      }));
      const all = lists.flatMap((list) => list.entries);
      const button = make("button", { type: "button", part: "all" }, fill(this.#texts.all, {
        n: this.#number(all.length),
      }));
      this.#body.append(button);
      const top = (place) => this.#body.querySelectorAll('[part~="group"]')[place]?.offsetTop;
      const isBesides = lists.length > 1 && top(0) === top(1);
      const heights = () => lists.map((list) => list.height);
      const total = () => (isBesides ? Math.max(...heights()) : heights().reduce((a, b) => a + b));
      const room = total() - (this.#root.offsetHeight - budget);
      const hidden = [];
      while (total() > room) {
        const list = lists.filter((list) => list.entries.length > 1).sort((a, b) => b.height - a.height)[0];
        if (!list) break;
        const last = list.entries.pop();
        list.height -= last.height;
        last.element.hidden = true;
        hidden.push(last.element);
      }
      if (!hidden.length) return button.remove();
      button.addEventListener("click", () => {
        for (const element of hidden) element.hidden = false;
        button.remove();
        const first = all.find(({ element }) => hidden.includes(element)).element;
        first.querySelector("a, button").focus();
      });
    }

    #reportClick(event) {
      if (event.type === "auxclick" && event.button !== 1) return;
      const path = event.composedPath();
      const entry = this.#relations.get(path.find((node) => this.#relations.has(node)));
      // A template of the page may have links of its own, which lead elsewhere.
      if (!entry?.link || !path.some((node) => node.localName === "a" && node.href === entry.link)) return;
      const { relation, group, position, link } = entry;
      const detail = {
        documentId: this.getAttribute("document-id"), id: relation.id, kind: relation.kind,
        score: relation.score ?? null, group, position, link,
      };
      // A site with a router of its own may follow the link itself.
      if (!this.#dispatch("related-click", detail, true)) event.preventDefault();
    }
  }

  customElements.define("related-documents", RelatedDocuments);
})();
