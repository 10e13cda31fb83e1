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
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll("pre, .table-wrapper, .math, .cell_output div")) {
    observer.observe(box);
  }
});
