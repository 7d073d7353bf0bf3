// Keys for the answers, the letters of `es-simhash lab label`; without this script the buttons do.
"use strict";
(() => {
  const buttons = new Map();
  for (const button of document.querySelectorAll("button[data-key]")) {
    const key = button.dataset.key;
    const hint = document.createElement("kbd");
    hint.textContent = key;
    button.setAttribute("aria-keyshortcuts", key);
    button.append(" ", hint);
    buttons.set(key, button);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("input, textarea, select, [contenteditable]")) return;
    buttons.get(event.key)?.click();
  });
})();
