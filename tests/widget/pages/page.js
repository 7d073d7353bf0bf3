// Notes what the widget reports and what the browser says of the page.
window.events = [];
window.violations = [];
window.shifts = 0;
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
for (const type of ["related-loaded", "related-error", "related-click"]) {
  document.addEventListener(type, (event) => {
    window.events.push({ type, detail: event.detail });
    if (type === "related-click") event.preventDefault();
    if (type === "related-loaded") {
      // A task after the frame in which the answer is painted.
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => { window.painted = performance.now(); };
        channel.port2.postMessage(null);
      });
    }
  });
}
// Before the element is defined, as a page may do.
const strings = new URLSearchParams(location.search).get("strings");
if (strings) document.querySelector("related-documents").strings = JSON.parse(strings);
