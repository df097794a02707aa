// The simulation and its record.
import { STATUS } from "./engine.js";
import { byId } from "./element.js";
import { columnsOf, placesOf, velocitiesOf, writeCsv } from "./record.js";

const STEP = 1e-3, BUDGET = 8;  // s, ms of a frame
const MOST = 20000;  // frames of a record

export class Play {
  constructor(app) {
    this.app = app;
    this.record = [];
    this.playing = this.started = false;
    this.moving = false;  // whether the velocities of the robot shown are known
    byId("play").addEventListener("click", () => this.toggle());
    byId("step").addEventListener("click", () => this.single());
    byId("reset").addEventListener("click", () => app.reset());
    byId("replay").addEventListener("input", (event) => this.replay(Number(event.target.value)));
    byId("save").addEventListener("click", () => this.save());
    byId("ground").addEventListener("change", () => this.stop());
  }
  /** Starts at the configuration shown, at rest. False if it cannot. */
  begin() {
    if (this.started) return true;
    this.app.feed?.pause();
    const { engine, picture } = this.app;
    const status = engine.start(STEP, byId("ground").checked ? picture.box.min.z - 0.02 * picture.size : null);
    if (status !== 0) {
      this.app.say(`The simulation cannot start here: ${STATUS[status] ?? "the engine failed"}. Move the robot first`);
      return false;
    }
    this.app.say("");
    this.started = true;
    this.record = [];
    this.keep();
    return true;
  }
  toggle() {
    if (!this.app.robot) return;
    if (!this.begin()) return;
    this.playing = !this.playing;
    this.showButton();
  }
  showButton() { byId("play").textContent = this.playing ? "❚❚ Pause" : "▶ Play"; }
  /** Ends the simulation; the configuration stays, at rest. */
  stop() {
    this.app.feed?.pause();
    this.moving = false;
    if (!this.started) return;
    this.playing = this.started = false;
    this.app.engine.stop();
    this.showButton();
  }
  single(seconds = 0.01) {
    if (!this.app.robot) return 0;
    if (!this.begin()) return 0;
    const status = this.app.engine.step(seconds, 1e9, this.app.dragging.spring());
    this.after(status);
    this.app.refresh();
    return status;
  }
  /** Called every frame; `elapsed` s since the last. True if the robot moved. */
  follow(elapsed) {
    if (!this.playing) return false;
    const before = this.app.engine.figures().time, seconds = Math.min(elapsed, 1 / 30);
    const status = this.app.engine.step(seconds, BUDGET, this.app.dragging.spring());
    const done = this.app.engine.figures().time - before;
    this.slow = seconds > 2 * STEP && done < 0.7 * seconds;
    this.after(status);
    return true;
  }
  after(status) {
    if (status !== 0) {
      this.playing = false;
      this.showButton();
      this.app.say(`The simulation stopped: ${STATUS[status] ?? "failed"}`);
    }
    this.keep();
  }
  keep() {
    const { engine, plot } = this.app, { time, kinetic, gravity, elastic } = engine.figures(), wrenches = engine.buffer("wrenches");
    this.moving = true;
    this.push({ time, kinetic, gravity, elastic, q: engine.q(), qd: Array.from(engine.buffer("qd")),
      wrenches: wrenches.some((x) => x !== 0) ? Array.from(wrenches) : null, efforts: plot.wantsEfforts ? this.effortsHere() : undefined });
  }
  /** Forces of motors that hold the robot where it is. */
  effortsHere() { return this.app.engine.forces(false) === 0 ? Array.from(this.app.engine.buffer("motors")) : []; }
  /** Calls `work` for some frames while each is shown; the configuration before comes back. Frames that cannot be shown are left
   *  out. */
  visit(frames, work) {
    const { engine } = this.app, before = engine.q();
    for (const frame of frames) if (engine.set(frame.q) === null) work(frame);
    engine.set(before);
  }
  push(frame) {
    if (this.record.length >= MOST) this.record.shift();
    this.record.push(frame);
    const slider = byId("replay");
    slider.max = this.record.length - 1;
    slider.value = slider.max;
  }
  replay(index) {
    const frame = this.record[index];
    if (!frame) return;
    this.stop();
    const problem = this.app.engine.set(frame.q);
    if (problem) {
      this.app.refresh();
      return this.app.report(`Row ${index + 1} of the record cannot be shown: ${problem}`);
    }
    this.app.say("");
    frame.q = this.app.engine.q();
    this.moving = frame.qd != null;
    if (this.moving) this.app.engine.setMotion(frame);
    this.app.refresh();
    this.app.plot.draw(index);
  }
  /** Shows a record that `grbda simulate` wrote, as {columns, rows}. */
  load({ columns, rows }) {
    const { missing, spread } = placesOf(this.app.robot, columns);
    if (missing) return this.app.report(`The record has no column ${missing}: it is of another robot`);
    this.stop();
    const place = new Map(columns.map((name, i) => [name, i])), at = (row, name) => row[place.get(name)] ?? 0;
    const qd = velocitiesOf(this.app.robot, columns, "qd"), tau = velocitiesOf(this.app.robot, columns, "tau");
    this.record = rows.map((row) => ({ time: at(row, "time"), kinetic: at(row, "kinetic"), gravity: at(row, "gravity"),
      elastic: at(row, "elastic"), q: spread(row), qd: qd(row), tau: tau(row) }));
    byId("replay").max = this.record.length - 1;
    byId("replay").value = 0;
    this.replay(0);
  }
  save() {
    const columns = ["time", ...columnsOf(this.app.robot).map(({ name }) => name)];
    const sent = this.record[0]?.values !== undefined, names = sent ? this.app.feed.values : ["kinetic", "gravity", "elastic"];
    this.visit(this.record.filter((frame) => frame.q.some(Number.isNaN)), (frame) => { frame.q = this.app.engine.q(); });
    const whole = this.record.filter((frame) => frame.q.every(Number.isFinite));
    if (whole.length < this.record.length) this.app.report(`${this.record.length - whole.length} rows that cannot be shown are not saved`);
    const rows = [[...columns, ...names.map((name) => (columns.includes(name) ? `sent ${name}` : name))],
      ...whole.map((frame) => [frame.time, ...frame.q, ...(frame.values ?? names.map((name) => frame[name]))])];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([writeCsv(rows)], { type: "text/csv" }));
    link.download = `${this.app.robot.name}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}
