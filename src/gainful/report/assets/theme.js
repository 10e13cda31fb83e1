// Switch between light, dark and the theme of the operating system.
const THEMES = ["auto", "light", "dark"];

function applyTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Theme: ${name}`;
}

function startTheme() {
  let theme = "auto";
  // A page opened from a file may have no storage.
  try { theme = localStorage.getItem("gainful-theme") || "auto"; } catch { theme = "auto"; }
  if (!THEMES.includes(theme)) theme = "auto";
  applyTheme(theme);
  byId("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    applyTheme(theme);
    try { localStorage.setItem("gainful-theme", theme); } catch { /* The choice is not saved. */ }
  });
}
