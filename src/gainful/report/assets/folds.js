// Open folded sections for links, and all of them for print.

/** Open the folded parts of the page that contain an element. */
function unfold(element) {
  for (let part = element; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
}

const closed = [];

async function openForPrint() {
  for (const section of document.querySelectorAll("details.card:not([open])")) {
    section.open = true;
    closed.push(section);
  }
  dispatchEvent(new Event("resize"));
  list.listed = Infinity;
  await showQueries();
}

function closeAfterPrint() {
  for (const section of closed.splice(0)) section.open = false;
  list.listed = PAGE;
  showQueries();
}

function startFolds() {
  for (const link of document.querySelectorAll("nav a")) {
    link.addEventListener("click", () => unfold(byId(link.hash.slice(1))));
  }
  unfold(byId(location.hash.slice(1)));
  for (const section of document.querySelectorAll("details.card")) {
    // Charts of a folded section have no width, and take it from the event.
    section.addEventListener("toggle", () => section.open && dispatchEvent(new Event("resize")));
  }
  addEventListener("beforeprint", openForPrint);
  addEventListener("afterprint", closeAfterPrint);
}
