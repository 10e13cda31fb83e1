// Put a filter above the table of all measures.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("#all-measures table")) {
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Filter, for example: diversity";
    field.setAttribute("aria-label", "Filter the measures");
    field.style.cssText = "width: 100%; padding: .5em; margin-bottom: .5em; font: inherit";
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/);
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    const box = table.closest(".table-wrapper") ?? table;
    box.before(field);
  }
});
