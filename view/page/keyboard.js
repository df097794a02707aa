// Keys act outside of fields alone, and without Ctrl, Alt and Meta. Each has a button or an entry of a menu; the arrows have the
// sliders.
import { byId } from "./element.js";

export function listenForKeys(app) {
  const click = (id) => () => byId(id).click();
  const actions = { " ": click("play"), ".": click("step"), r: click("reset"), Backspace: click("reset"), f: click("frame"),
    c: click("shapes"), k: click("colours"), m: click("forces"), "?": click("help"), l: click("loops"), Escape: click("undo"),
    ArrowLeft: () => app.nudge(-1), ArrowRight: () => app.nudge(1) };
  for (let i = 1; i <= 6; ++i) actions[i] = () => app.picture.view(i - 1);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || byId("keys").open) return;
    const { target } = event;
    if (target.matches?.("input, select, textarea") || (target.matches?.("button") && (event.key === " " || event.key === "Enter"))) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
