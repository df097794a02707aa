// Starts the page: engine, robot of the page, state of the address.
import { App, showTab } from "./app.js";
import { Engine } from "./engine.js";
import { byId } from "./element.js";
import { Feed, decode } from "./feed.js";
import { listenForFiles } from "./files.js";
import { listenForKeys } from "./keyboard.js";
import { parseRecord, placesOf } from "./record.js";
import { offer } from "./programs.js";

function listenForButtons(app) {
  byId("forces").addEventListener("click", () => app.toggleForces());
  byId("shapes").addEventListener("click", () => app.toggleShapes());
  byId("colours").addEventListener("click", () => app.toggleColours());
  byId("frame").addEventListener("click", () => app.bodies && app.fit());
  byId("share").addEventListener("click", () => app.robot && app.share());
  byId("open").addEventListener("click", () => byId("files").click());
  byId("open-folder").addEventListener("click", () => byId("folder").click());
  byId("loops").addEventListener("click", () => app.toggleLoops());
  byId("undo").addEventListener("click", () => app.dragging.undo());
  byId("view").addEventListener("change", (event) => {
    app.picture.view(Number(event.target.value));
    event.target.value = "";
  });
  byId("help").addEventListener("click", () => byId("keys").showModal());
  for (const tab of document.querySelectorAll("[data-tab]")) tab.addEventListener("click", () => {
    if (tab.dataset.tab === "numbers" && !app.forcesShown) app.toggleForces();
    showTab(tab.dataset.tab);
  });
  window.addEventListener("hashchange", () => app.restore());
}

function filesOf(robot) {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return { ...robot, files: robot.files.map(({ path, text, base64 }) => (base64 ? { path, bytes: bytes(base64) } : { path, text })) };
}

async function start() {
  byId("notices").textContent = byId("notices-text").textContent;
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
    app.open(filesOf(robot));
    if (app.robot && robot.record) app.openRecord("The record", robot.record);
    if (app.robot && robot.q) {
      const problem = app.engine.set(placesOf(app.robot, robot.coordinates.map((name) => `q:${name}`)).spread([...decode(robot.q)]));
      if (problem) app.report(`The configuration of this page cannot be shown: ${problem}`);
      app.refresh();
    }
    if (app.robot && robot.feed) app.follow(new Feed(app, robot.feed, robot.coordinates));
    if (app.robot) app.restore();
  } else {
    app.say("Drop a robot's files or folder here, or press Open");
    app.restore();
  }
}

const started = start().catch((error) => {
  byId("message").textContent = `The page cannot start: ${error.message}`;
  throw error;
});
window.grbda = { ready: started.then(() => window.grbda.ready) };
