// Keys act outside of fields alone, and without Ctrl, Alt and Meta. Each has a button or an entry of a menu; the arrows have the
// sliders, and those of the camera the pointer.
import { byId } from "./element.js";

const TURN = 0.12, SHIFT = 0.06;  // rad, share of the picture, for each press

export function listenForKeys(app) {
  const click = (id) => () => byId(id).click();
  const buttons = { ".": "step", r: "reset", Backspace: "reset", f: "frame", g: "ground", h: "hold", p: "play", v: "follow", m: "forces",
    c: "shapes", k: "colours", l: "loops", o: "contacts", t: "transparent", x: "world", j: "axes", n: "frames", b: "coms", i: "inertias",
    "?": "help" };
  const { picture } = app;
  const actions = { " ": () => app.playOrSimulate(), Escape: () => app.dragging.undo(), ArrowLeft: () => app.nudge(-1), ArrowRight: () => app.nudge(1),
    "+": () => picture.zoom(0.9), "=": () => picture.zoom(0.9), "-": () => picture.zoom(1 / 0.9),
    w: () => picture.shift(0, SHIFT), s: () => picture.shift(0, -SHIFT), a: () => picture.shift(-SHIFT, 0), d: () => picture.shift(SHIFT, 0) };
  const turns = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] };
  for (const [key, id] of Object.entries(buttons)) actions[key] = click(id);
  for (let i = 1; i <= 6; ++i) actions[i] = () => app.picture.view(i - 1);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || byId("keys").open || ("popover" in HTMLElement.prototype && document.querySelector(":popover-open"))) return;
    const { target } = event;
    if (target.matches?.("input, select, textarea") || (target.matches?.("button") && (event.key === " " || event.key === "Enter"))) return;
    const turn = event.shiftKey && turns[event.key];
    const action = turn ? () => picture.turn(...turn) : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
