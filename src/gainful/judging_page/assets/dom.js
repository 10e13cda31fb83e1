// Elements, announcements and dialogs. Text is only ever set as text, never as HTML.

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function announce(text) {
  byId("live").textContent = text;
}

export function openDialog(title, ...children) {
  const dialog = byId("dialog");
  const close = el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(
    el("div", { class: "dialog-head" }, el("h2", { id: "dialog-title" }, title), close),
    el("div", { class: "dialog-body", tabindex: "0" }, ...children),
  );
  if (!dialog.open) dialog.showModal();
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** How far a grade is between the lowest and the highest, from 0 to 1. */
export const shareOf = (scale, grade) => {
  const at = scale.findIndex((each) => each.grade === grade);
  return scale.length < 2 ? 0 : at / (scale.length - 1);
};
