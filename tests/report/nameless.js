// Controls without an accessible name.
() => [...document.querySelectorAll("button, select, input, a, [role=img], [role=region]")]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() ||
    (one.labels && one.labels.length && one.labels[0].textContent.trim())))
  .map((one) => one.outerHTML.slice(0, 120))
