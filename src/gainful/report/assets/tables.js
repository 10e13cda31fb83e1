// Sortable tables and copy buttons.

function sortTable(button) {
  const heading = button.closest("th");
  const table = button.closest("table");
  const at = [...heading.parentNode.children].indexOf(heading);
  const rising = heading.getAttribute("aria-sort") === "descending" ||
    (!heading.hasAttribute("aria-sort") && button.dataset.sort === "text") ||
    (!heading.hasAttribute("aria-sort") && heading.classList.contains("place"));
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const key = (row) => row.children[at].dataset.value;
  const compare = button.dataset.sort === "text"
    ? (a, b) => key(a).localeCompare(key(b))
    : (a, b) => Number(key(a)) - Number(key(b));
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => (rising ? compare(a, b) : compare(b, a))));
}

function startTables() {
  for (const button of document.querySelectorAll(".sortable [data-sort]")) {
    button.addEventListener("click", () => sortTable(button));
  }
  for (const button of document.querySelectorAll("[data-copies]")) {
    button.addEventListener("click", async () => {
      const text = byId(button.dataset.copies).textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(byId(button.dataset.copies));
        button.textContent = "Selected";
      }
    });
  }
}
