// Complete the theme's markup for screen readers and keyboards.
document.addEventListener("DOMContentLoaded", () => {
  const mark = (selector, attributes) => {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    }
  };
  mark(".sidebar-drawer", { "aria-label": "Site" });
  mark(".toc-drawer", { "aria-label": "Contents of the page" });
  mark(".content-icon-container", { role: "region", "aria-label": "Source and theme" });
  mark(".sidebar-tree .caption", { "aria-level": 2 });
  document.querySelector("#search-results")?.insertAdjacentHTML("beforebegin", "<h1>Search</h1>");
  for (const cell of document.querySelectorAll("th")) {
    if (!cell.textContent.trim()) cell.replaceWith(document.createElement("td"));
  }
  // The keyboard scrolls only what has the focus.
  const boxes = [...document.querySelectorAll("pre, .table-wrapper, .math, .cell_output div")];
  const update = () => {
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  const observer = new ResizeObserver(update);
  for (const box of boxes) observer.observe(box);
  // Styles and fonts change the width of text, and not of its box.
  addEventListener("load", update);
  document.fonts.ready.then(update);
});
