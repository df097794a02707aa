// Icons of buttons: lines on a grid of 24 × 24.

const PATHS = {
  play: "M7 4v16l13-8z", pause: "M8 5v14M16 5v14", step: "M5 4v16l10-8zM19 4v16", reset: "M4 12a8 8 0 1 0 3-6.2M4 4v5h5",
  undo: "M9 5l-5 5 5 5M4 10h9a6 6 0 0 1 6 6v3", ground: "M3 15h18M5 20l3-5M11 20l3-5M17 20l3-5M12 3v8M9 8l3 3 3-3",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3", arrow: "M5 19L19 5M10 5h9v9", layers: "M12 3l9 5-9 5-9-5zM3 13l9 5 9-5",
  frame: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", camera: "M3 7h11v10H3zM14 11l6-4v10l-6-4",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  shot: "M4 7h3l2-3h6l2 3h3v12H4zM12 9.5a3.5 3.5 0 1 0 .01 0", help: "M8 9a4 4 0 1 1 5.5 3.7c-1 .5-1.5 1-1.5 2.3M12 19v.01",
  file: "M6 3h8l4 4v14H6zM14 3v4h4", folder: "M3 6h6l2 2h10v11H3z", save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  repeat: "M17 3l3 3-3 3M4 11V9a3 3 0 0 1 3-3h13M7 21l-3-3 3-3M20 13v2a3 3 0 0 1-3 3H4",
};
const SVG = "http://www.w3.org/2000/svg";

/** Gives a button an icon, in place of the one that it has. */
export function setIcon(button, name) {
  const icon = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  path.setAttribute("d", PATHS[name]);
  icon.append(path);
  button.querySelector("svg")?.remove();
  button.prepend(icon);
}
export function setLabel(button, name, label) {
  if (button.dataset.icon === name && button.querySelector("span").textContent === label) return;
  button.dataset.icon = name;
  setIcon(button, name);
  button.querySelector("span").textContent = label;
}
export function drawIcons() {
  for (const button of document.querySelectorAll("[data-icon]")) setIcon(button, button.dataset.icon);
}
