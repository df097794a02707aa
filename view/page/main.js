// Starts the page: engine, robot of the page, state of the address.
import { App, showTab } from "./app.js";
import { Engine } from "./engine.js";
import { byId } from "./element.js";
import { Feed, decode } from "./feed.js";
import { listenForFiles } from "./files.js";
import { listenForKeys } from "./keyboard.js";
import { placesOf } from "./record.js";
import { offer } from "./programs.js";
import { drawIcons } from "./icons.js";
import { robotIn } from "./state.js";

function listenForButtons(app) {
  const actions = { frame: () => app.fit(), share: () => app.share(), shot: () => app.savePicture(), undo: () => app.dragging.undo(),
    follow: () => app.toggleFollow(), open: () => byId("files").click(), "open-folder": () => byId("folder").click(),
    "welcome-open": () => byId("files").click(), "welcome-folder": () => byId("folder").click(),
    sample: () => app.open(JSON.parse(byId("sample-robot").textContent)), help: () => byId("keys").showModal() };
  for (const name of Object.keys(app.modes())) actions[name] = () => app.modes()[name].toggle();
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("view").addEventListener("change", (event) => {
    app.picture.view(Number(event.target.value));
    event.target.value = "";
  });
  for (const tab of document.querySelectorAll("[data-tab]")) tab.addEventListener("click", () => {
    if (tab.dataset.tab === "numbers" && !app.forcesShown) app.toggleForces();
    showTab(tab.dataset.tab);
  });
  window.addEventListener("hashchange", async () => {
    const robot = await robotIn(location.hash).catch(() => app.report("The robot in the address cannot be read: the link was cut or changed"));
    if (robot) app.open(robot);
    app.restore();
  });
}

function filesOf(robot) {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return { ...robot, files: robot.files.map(({ path, text, base64 }) => (base64 ? { path, bytes: bytes(base64) } : { path, text })) };
}

async function start() {
  byId("notices").textContent = byId("notices-text").textContent;
  drawIcons();
  showTab("joints");
  const engine = await Engine.start(byId("engine").textContent.trim(), window.grbdaEngine);
  const app = new App(engine);
  listenForButtons(app);
  listenForKeys(app);
  listenForFiles(app, byId("files"), byId("folder"));
  const slot = byId("robot").textContent.trim();
  const ready = new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))));
  offer(app, ready);
  if (slot.startsWith("{")) {
    const robot = JSON.parse(slot);
    app.open(filesOf(robot), true);
    if (app.robot && robot.record) app.openRecord("The record", robot.record);
    if (app.robot && robot.q) {
      const problem = app.engine.set(placesOf(app.robot, robot.coordinates.map((name) => `q:${name}`)).spread([...decode(robot.q)]));
      if (problem) app.report(`The configuration of this page cannot be shown: ${problem}`);
      app.refresh();
    }
    if (app.robot && robot.feed) app.follow(new Feed(app, robot.feed, robot.coordinates));
    if (app.robot) app.restore();
  } else {
    const robot = await robotIn(location.hash).catch(() => app.report("The robot in the address cannot be read: the link was cut or changed"));
    if (robot) app.open(robot);
    app.restore();
  }
}

const started = start().catch((error) => {
  document.body.classList.add("empty", "broken");
  document.querySelector(".card h2").textContent = "The page cannot start";
  document.querySelector(".card p").textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
  throw error;
});
window.grbda = { ready: started.then(() => window.grbda.ready) };
