// The page as a whole: what is shown, what is selected, and what each frame does.
import { Engine } from "./engine.js";
import { Meshes } from "./meshes.js";
import { Robot } from "./robot.js";
import { Picture } from "./scene.js";
import { Bodies } from "./bodies.js";
import { Dragging } from "./drag.js";
import { Joints } from "./panels/joints.js";
import { Clusters } from "./panels/clusters.js";
import { addFinding, showFindings } from "./panels/findings.js";
import { showForces } from "./forces.js";
import { Play } from "./play.js";
import { Plot } from "./plot.js";
import { parseRecord } from "./record.js";
import { plural, Units } from "./units.js";
import { readState, writeState } from "./state.js";
import { byId } from "./element.js";

const PANELS_EVERY = 100;  // ms, while the robot moves

export class App {
  constructor(engine) {
    this.engine = engine;
    this.units = new Units();
    this.picture = new Picture(byId("canvas"));
    this.dragging = new Dragging(this);
    this.joints = new Joints(this);
    this.clusters = new Clusters(this);
    this.play = new Play(this);
    this.plot = new Plot(this);
    this.selected = null;
    this.forcesShown = false;
    this.engineTime = 0;  // ms, of the last motion
    this.last = performance.now();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Shows a robot from files; `main` names those that describe it. Without one, a record of the robot shown. */
  open({ files, main, record, options }) {
    if (!main.length) {
      if (record && this.robot) return this.openRecord(record.name, record.text);
      return this.report(record ? `${record.name}: open the robot before its record` : "No robot among these files: expected .urdf, .xml, .mjcf or .sdf");
    }
    try {
      const info = this.engine.load(files, main, options);
      this.play.stop();
      this.follow(null);
      this.show(new Robot(info, new Meshes(files)));
    } catch (error) {
      if (!error.diagnostics) throw error;
      showFindings(error.diagnostics, null);
      this.say("The robot cannot be loaded: see the findings");
      showTab("findings");
    }
  }
  openRecord(name, text) {
    try {
      this.play.load(parseRecord(text));
    } catch (error) {
      this.report(`${name} is no record: ${error.message}`);
    }
  }
  show(robot) {
    this.robot = robot;
    this.dragging.forget();
    this.bodies?.remove();
    this.selected = null;
    this.play.record = [];
    this.bodies = new Bodies(this.picture, robot, this.engine.buffer("poses"), this.engine.buffer("loopEnds"));
    document.title = `${robot.name} – grbda`;
    byId("title").textContent = robot.name;
    byId("summary").textContent = [plural(robot.bodies.length, "body", "bodies"), plural(robot.loops.length, "loop"),
      plural(robot.clusters.length, "cluster"), `${robot.info.dof} dof`].join(" · ");
    byId("colours").hidden = !this.bodies.coloured;
    this.showModes();
    this.joints.build();
    this.clusters.build();
    this.plot.build();
    showFindings(robot.info.diagnostics, robot);
    this.say("");
    this.refresh();
  }

  /** Everything anew from the engine's buffers. */
  refresh() {
    const warnings = this.clusters.show();
    this.bodies.show(this.engine.buffer("poses"), this.engine.buffer("loopEnds"), warnings);
    this.joints.show();
    if (this.forcesShown) showForces(this);
    if (this.play.started || this.feed?.follows) this.plot.draw();
    this.status();
  }
  /** A program moves the robot from now on; null: none does. */
  follow(feed) {
    this.feed?.close();
    this.feed = feed;
    if (feed) this.plot.build();
  }

  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    const elapsed = (now - this.last) / 1000;
    this.last = now;
    if (!this.robot) return void this.picture.draw();
    const begun = performance.now();
    const moved = this.play.playing ? this.play.follow(elapsed) : this.moveByHand() || (this.feed?.follow() ?? false);
    if (moved) {
      this.engineTime = performance.now() - begun;
      this.showMoved(now);
    }
    this.dragging.draw();
    this.picture.draw();
  }
  moveByHand() {
    const asked = (this.dragging.held?.fresh ?? false) || this.joints.rows.some((row) => row.wanted !== null);
    if (!asked) return false;
    this.play.stop();
    return this.dragging.follow() || this.joints.follow();
  }
  /** Poses in every frame, panels ten times a second. */
  showMoved(now) {
    const late = now - (this.panelsAt ?? 0) > PANELS_EVERY;
    if (late) {
      this.panelsAt = now;
      this.refresh();
    } else {
      this.redraw();
    }
    clearTimeout(this.trailing);
    this.trailing = setTimeout(() => this.refresh(), PANELS_EVERY);
  }
  status() {
    const { residual, time, contacts } = this.engine.figures();
    const parts = [`loops closed to ${residual.toExponential(1)}`, `engine ${this.engineTime.toFixed(1)} ms`,
      `drawing ${this.picture.drawing.toFixed(1)} ms`];
    if (this.play.started) parts.push(`${time.toFixed(2)} s`, `${contacts} contacts`, this.play.slow ? "slow motion" : "");
    byId("status").textContent = parts.filter(Boolean).join(" · ");
  }
  /** Says what went wrong and adds it to the findings. */
  report(text) {
    addFinding("error", text);
    this.say(text);
  }
  say(text) { if (byId("message").textContent !== text) byId("message").textContent = text; }

  select(body, row = null) {
    this.selected = body;
    this.bodies.light([body]);
    this.joints.select(body);
    if (!row) this.joints.reveal(body);
    this.clusters.select(this.robot.bodies[body].cluster);
    this.redraw();
  }
  selectSecond(body) {
    if (this.selected === null || this.selected === body) return this.select(body);
    this.bodies.light(this.clusters.explain(this.selected, body));
    showTab("clusters");
    this.redraw();
  }
  selectCluster(index) {
    const { robot } = this;
    this.bodies.light(robot.bodies.filter((body) => body.cluster === index).map((body) => body.index));
    this.clusters.select(index);
    this.redraw();
  }
  redraw() {
    this.bodies.show(this.engine.buffer("poses"), this.engine.buffer("loopEnds"), this.clusters.warnings());
  }
  hover(hit, event) {
    const label = byId("label");
    label.style.display = hit ? "block" : "none";
    if (!hit) return;
    const box = this.picture.canvas.getBoundingClientRect();
    label.textContent = this.robot.bodies[hit.body].name;
    label.style.left = `${Math.min(event.clientX - box.left + 14, box.width - 120)}px`;
    label.style.top = `${event.clientY - box.top + 10}px`;
  }

  reset() {
    if (!this.robot) return;
    this.play.stop();
    this.engine.reset();
    this.joints.clearWarnings();
    this.say("");
    this.refresh();
  }
  nudge(sign) { if (this.selected !== null) this.joints.nudge(this.selected, sign); }
  /** Modes of the picture by the names of their buttons: {on, toggle}. */
  modes() {
    return { forces: { on: this.forcesShown, toggle: () => this.toggleForces() },
      shapes: { on: this.bodies?.collision ?? false, toggle: () => this.toggleShapes() },
      colours: { on: this.bodies?.byCluster ?? false, toggle: () => this.toggleColours() },
      loops: { on: this.bodies?.showLoops ?? true, toggle: () => this.toggleLoops() } };
  }
  showModes() {
    for (const [name, { on }] of Object.entries(this.modes())) byId(name).setAttribute("aria-pressed", String(on));
  }
  toggleForces() {
    this.forcesShown = !this.forcesShown;
    this.showModes();
    byId("numbers").hidden = !this.forcesShown;
    if (this.forcesShown) showTab("numbers");
    else this.bodies?.showForces(null);
    if (this.robot) this.refresh();
  }
  toggleShapes() {
    if (!this.bodies) return;
    this.bodies.collision = !this.bodies.collision;
    this.showModes();
    this.bodies.build();
    this.refresh();
  }
  toggleColours() {
    if (!this.bodies) return;
    this.bodies.byCluster = !this.bodies.byCluster;
    this.showModes();
    this.bodies.colour();
    this.refresh();
  }
  toggleLoops() {
    if (!this.bodies) return;
    this.bodies.showLoops = !this.bodies.showLoops;
    this.showModes();
    this.redraw();
  }
  fit() { this.picture.fit(this.bodies.placesOf(this.engine.buffer("poses"), this.engine.buffer("loopEnds")), true); }
  share() {
    const link = location.href.replace(/#.*/, "") + writeState(this);
    history.replaceState(null, "", writeState(this));
    navigator.clipboard?.writeText(link).then(() => this.say("The link is copied"), () => this.say("The link is in the address bar"));
  }
  restore() {
    if (location.hash.length <= 1) return;
    if (!this.robot) return this.report("The address holds a configuration, but no robot is open");
    this.play.stop();
    readState(this, location.hash);
    this.refresh();
  }
}

/** On small screens one panel is shown at a time. */
export function showTab(name) {
  for (const section of document.querySelectorAll("section[data-panel]")) section.classList.toggle("shown", section.dataset.panel === name);
  for (const side of document.querySelectorAll("aside")) side.classList.toggle("shown", side.querySelector(`[data-panel=${name}]`) !== null);
  for (const tab of document.querySelectorAll("[data-tab]")) tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
}
