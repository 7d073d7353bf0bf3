// For screen readers and keyboards: the button of each code block is no landmark of the page, a wide
// table, which scrolls, takes the focus, and the search has a name. The theme adds the first two
// after the page was loaded.
function name(root) {
  root.querySelectorAll(".md-code__nav:not([role])").forEach((buttons) => {
    buttons.setAttribute("role", "none");
  });
  root.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((table) => {
    table.setAttribute("tabindex", "0");
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", "Table");
  });
  root.querySelector(".md-search")?.setAttribute("aria-label", "Search");
}
new MutationObserver(() => name(document)).observe(document.documentElement, {
  childList: true,
  subtree: true,
});
name(document);
