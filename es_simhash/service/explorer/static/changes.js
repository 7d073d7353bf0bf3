// Buttons and keys that lead from change to change; without this script the links of each do.
"use strict";
(() => {
  const jumps = document.querySelector(".jumps");
  const changes = [...document.querySelectorAll(".change")];
  if (!jumps || changes.length === 0) return;
  const bar = jumps.closest(".pinned");

  // The change after, or before, the one that stands right below the bar.
  const near = (step) => {
    const line = bar.getBoundingClientRect().bottom;
    const tops = changes.map((change) => change.getBoundingClientRect().top - line);
    const place = step > 0 ? tops.findIndex((top) => top > 40) : tops.findLastIndex((top) => top < -8);
    return changes[place];
  };
  const go = (step) => {
    const change = near(step);
    if (change) location.replace(`#${change.id}`);
  };
  for (const [step, name, key] of [[-1, "Previous", "p"], [1, "Next", "n"]]) {
    const button = document.createElement("button");
    const hint = document.createElement("kbd");
    button.type = "button";
    button.title = `Key ${key}`;
    hint.textContent = key;
    button.append(`${name} `, hint);
    button.addEventListener("click", () => go(step));
    jumps.insertBefore(button, jumps.querySelector(".legend"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (event.key === "n") go(1);
    else if (event.key === "p") go(-1);
  });
})();
