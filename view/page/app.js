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
import { hideForces, showForces } from "./forces.js";
import { Play } from "./play.js";
import { download, Records } from "./records.js";
import { Plot } from "./plot.js";
import { parseRecord } from "./record.js";
import { plural, Units } from "./units.js";
import { linkTo, readState } from "./state.js";
import { byId } from "./element.js";
import { LAYERS } from "./overlays.js";
import { Vector3 } from "three";

const CLOSED = 1e-10;  // of the size of a cluster
const PANELS_EVERY = 100;  // ms, while the robot moves

export class App {
  constructor(engine) {
    this.engine = engine;
    this.units = new Units();
    this.picture = new Picture(byId("canvas"));
    this.dragging = new Dragging(this);
    this.joints = new Joints(this);
    this.clusters = new Clusters(this);
    this.records = new Records(this);
    this.play = new Play(this);
    this.plot = new Plot(this);
    this.selected = null;
    this.forcesShown = false;
    this.follows = true;  // the camera follows a floating base
    this.byHand = false;  // a drag or a slider moved the robot last
    this.engineTime = 0;  // ms, of the last motion
    this.last = performance.now();
    this.showTools();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Shows a robot from files; `main` names those that describe it. Without one, a record of the robot shown. */
  open({ files, main, record, options }, embedded = false) {
    if (!main.length) {
      if (record && this.robot) return this.openRecord(record.name, record.text);
      return this.report(record ? `${record.name}: open the robot before its record` : "No robot among these files: expected .urdf, .xml, .mjcf, .sdf, or a record as .csv or .json");
    }
    try {
      const info = this.engine.load(files, main, options);
      this.rest();
      this.follow(null);
      this.source = embedded ? null : { files, main, options };
      this.show(new Robot(info, new Meshes(files)));
    } catch (error) {
      if (!error.diagnostics) throw error;
      showFindings(error.diagnostics, null);
      const errors = error.diagnostics.filter(({ severity }) => severity === "error");
      this.say(`The robot cannot be loaded. ${errors[0]?.text.replace(/error: /, "") ?? ""}${errors.length > 1 ? ` (and ${plural(errors.length - 1, "more error")}, see Findings)` : ""}`, "error");
      showTab("findings");
    }
  }
  openRecord(name, text) {
    try {
      this.records.load(parseRecord(text), name);
    } catch (error) {
      this.report(`${name} is no record: ${error.message}`);
    }
  }
  show(robot) {
    const before = this.robot?.name, lost = this.records.forget();
    this.robot = robot;
    document.body.classList.remove("empty");
    this.byHand = false;
    this.dragging.forget();
    this.bodies?.remove();
    this.selected = null;
    this.picture.companion = null;
    this.bodies = new Bodies(this.picture, robot, this.engine.buffer("poses"), this.engine.buffer("loopEnds"));
    document.title = `${robot.name} – grbda`;
    byId("title").textContent = robot.name;
    this.summarize();
    byId("colours").hidden = !this.bodies.coloured;
    this.showModes();
    this.joints.build();
    this.clusters.build();
    this.plot.build();
    this.play.adapt();
    this.showGround();
    showFindings(robot.info.diagnostics, robot);
    this.say(lost ? `${plural(lost, "simulation")} of ${before} ${lost > 1 ? "were" : "was"} not saved` : "", "warning");
    this.showTools();
    this.refresh();
  }
  /** The numbers that `grbda info` reports; the page has each rod as a body, which can spin. */
  summarize() {
    const { robot } = this, { bodies, rods, dof, clusters } = robot.sizes, spins = robot.info.dof - dof;
    byId("summary").textContent = [plural(bodies, "body", "bodies") + (rods ? ` + ${plural(rods, "rod")}` : ""), plural(robot.loops.length, "loop"),
      plural(clusters, "cluster"), `${dof} dof`].join(" · ");
    byId("summary").title = spins > 0 ? `Moving bodies and degrees of freedom. The page shows rods as bodies, which have ${plural(spins, "freedom")} more: they spin about themselves` : "";
  }
  /** Buttons act only where they have an effect. */
  showTools() {
    for (const tool of document.querySelectorAll("[data-robot]")) tool.disabled = !this.robot;
    byId("undo").disabled = !this.dragging.before || this.play.started;
    byId("follow").disabled = !this.robot?.floats;
    byId("follow").setAttribute("aria-pressed", String(this.follows));
  }
  showGround(height = this.play.ground()) {
    this.picture.showGround(height);
  }

  /** Everything anew from the engine's buffers. */
  refresh() {
    const warnings = this.clusters.show();
    this.showBodies(warnings);
    this.joints.show();
    if (this.forcesShown) showForces(this);
    this.plot.draw();
    this.showTools();
    this.status();
  }
  showBodies(warnings) {
    const poses = this.engine.buffer("poses"), points = this.play.started ? this.engine.buffer("contactPoints") : new Float32Array();
    this.bodies.show(poses, this.engine.buffer("loopEnds"), warnings, points);
    const base = this.robot.bodies.find((body) => body.floating_base);
    if (base) this.picture.accompany(new Vector3(...poses.subarray(12 * base.index + 9, 12 * base.index + 12)), this.follows && !this.byHand);
  }
  /** Ends what moves the robot by itself. */
  rest() {
    this.play.stop();
    this.records.pause();
    this.byHand = true;
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
    const moved = this.play.playing ? this.simulate(elapsed) : this.moveByHand() || this.moveByItself(elapsed);
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
    this.rest();
    return this.dragging.follow() || this.joints.follow();
  }
  moveByItself(elapsed) {
    const moved = this.records.playing ? this.records.follow(elapsed) : this.feed?.follow() ?? false;
    if (moved) this.byHand = false;
    return moved;
  }
  simulate(elapsed) {
    this.byHand = false;
    if (this.play.aims) this.joints.follow();
    else if (this.joints.drop()) this.say("In a simulation sliders move joints only if Hold pose is on", "warning");
    return this.play.follow(elapsed);
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
    const { residual, time, contacts } = this.engine.figures(), { play, records, robot, selected } = this, parts = [];
    if (play.started) parts.push(`${play.playing ? "Simulating" : "Simulation paused"} at ${time.toFixed(2)} s`, plural(contacts, "contact"),
      play.slow ? "slow motion: this machine does not keep up" : "");
    else if (records.playing) parts.push(`Playing ${records.current.name}`);
    else parts.push("At rest");
    if (robot.loops.length) parts.push(residual <= CLOSED ? "loops closed" : `loops open by ${residual.toExponential(1)} of their size`);
    if (selected !== null) parts.push(`selected: ${robot.bodies[selected].name}, joint ${robot.bodies[selected].joint}`);
    const text = parts.filter(Boolean).join(" · ");
    if (byId("status").textContent !== text) byId("status").textContent = text;
    byId("figures").textContent = `Loops close to ${residual.toExponential(1)}. The last motion took the engine ${this.engineTime.toFixed(1)} ms, the last picture ` +
      `${this.picture.drawing.toFixed(1)} ms.`;
  }
  /** Says what went wrong and adds it to the findings. */
  report(text, severity = "error") {
    addFinding(severity, text);
    this.say(text, severity);
  }
  say(text, severity = "note") {
    const message = byId("message");
    if (message.textContent !== text) message.textContent = text;
    message.className = severity;
  }

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
  redraw() { this.showBodies(this.clusters.warnings()); }
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
    this.rest();
    this.byHand = false;
    this.engine.reset();
    this.showGround();
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
      loops: { on: this.bodies?.showLoops ?? true, toggle: () => this.toggleLoops() },
      transparent: { on: this.bodies?.transparent ?? false, toggle: () => this.toggleTransparent() },
      ...Object.fromEntries(LAYERS.map((name) => [name, { on: this.bodies?.layers[name] ?? false, toggle: () => this.toggleLayer(name) }])) };
  }
  showModes() {
    for (const [name, { on }] of Object.entries(this.modes())) byId(name).setAttribute("aria-pressed", String(on));
  }
  toggleForces() {
    this.forcesShown = !this.forcesShown;
    this.showModes();
    byId("numbers").hidden = !this.forcesShown;
    if (this.forcesShown) showTab("numbers");
    else hideForces(this);
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
  toggleTransparent() {
    if (!this.bodies) return;
    this.bodies.transparent = !this.bodies.transparent;
    this.showModes();
    this.bodies.colour();
    this.refresh();
  }
  toggleLayer(name) {
    if (!this.bodies) return;
    this.bodies.layers[name] = !this.bodies.layers[name];
    this.showModes();
    this.redraw();
  }
  toggleFollow() {
    this.follows = !this.follows;
    this.showTools();
  }
  /** The space bar: what runs or is shown goes on or pauses; without it a simulation starts. */
  playOrSimulate() {
    if (!this.play.started && this.records.frames.length > 1) this.records.toggle();
    else this.play.toggle();
  }
  async savePicture() { download(await this.picture.shot(), `${this.robot.name}.png`); }
  fit() { this.picture.fit(this.bodies.placesOf(this.engine.buffer("poses"), this.engine.buffer("loopEnds")), true); }
  async share() {
    const { fragment, note } = await linkTo(this), link = location.href.replace(/#.*/, "") + fragment;
    history.replaceState(null, "", fragment);
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    this.say(`The link is ${copied ? "copied" : "in the address bar"}. ${note}`.trim());
  }
  restore() {
    if (location.hash.length <= 1) return;
    if (!this.robot) return this.report("The address holds a configuration, but no robot is open");
    this.rest();
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
