// Records of motions: simulations, files of `grbda simulate`, and programs that are followed. One of them is shown: it plays, is
// scrubbed, plotted and saved. A record stays until another robot is opened.
import { byId, make } from "./element.js";
import { setLabel } from "./icons.js";
import { columnsOf, placesOf, velocitiesOf, writeCsv } from "./record.js";

const MOST = 20000;      // frames of a record
const UNTIMED = 1 / 50;  // s, between rows without times

export class Records {
  constructor(app) {
    this.app = app;
    this.forget();
    byId("play").addEventListener("click", () => this.toggle());
    byId("repeat").addEventListener("click", ({ currentTarget: button }) =>
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true")));
    byId("replay").addEventListener("input", (event) => this.scrub(Number(event.target.value)));
    byId("record").addEventListener("change", (event) => this.choose(Number(event.target.value)));
    byId("save").addEventListener("click", () => this.save());
  }
  /** Another robot is shown. Returns how many simulations were not saved. */
  forget() {
    const lost = (this.list ?? []).filter(({ kind, saved, frames }) => kind === "Simulation" && !saved && frames.length > 1).length;
    this.list = [];
    this.current = null;
    this.playing = false;
    this.at = 0;  // the frame shown
    return lost;
  }
  get frames() { return this.current?.frames ?? []; }

  /** A new record, which is shown from now on; `values`: names of the numbers of its frames besides q. */
  begin(kind, { name = null, values = null, frames = [] } = {}) {
    this.pause();
    const number = 1 + this.list.filter((each) => each.kind === kind).length;
    this.current = { name: name ?? `${kind} ${number}`, kind, values, frames, saved: false };
    this.list = this.list.filter((each) => each.frames.length > 1);
    this.list.push(this.current);
    this.at = 0;
    byId("record").replaceChildren(...this.list.map((each, i) => make("option", { value: String(i), textContent: each.name })));
    byId("record").value = String(this.list.length - 1);
    this.showPlace();
  }
  push(frame) {
    const { frames } = this;
    if (frames.length >= MOST) {
      this.app.say(`The record is full: of its ${MOST} rows, the first are left out`, "warning");
      frames.shift();
    }
    frames.push(frame);
    this.at = frames.length - 1;
    this.showPlace();
  }
  choose(index) {
    this.pause();
    this.app.play.stop();
    this.current = this.list[index];
    this.show(0);
  }

  toggle() {
    if (this.playing) return this.pause();
    if (this.frames.length < 2) return;
    if (this.at >= this.frames.length - 1) this.show(0);
    this.app.play.stop();
    this.playing = true;
    this.clock = this.frames[this.at].time;
    this.showButton();
  }
  pause() {
    this.playing = false;
    this.showButton();
  }
  showButton() { setLabel(byId("play"), this.playing ? "pause" : "play", this.playing ? "Pause" : "Play"); }
  /** Called every frame; `elapsed` s since the last. True if the robot moved. */
  follow(elapsed) {
    const { frames } = this, last = frames.length - 1;
    this.clock += elapsed * Number(byId("speed").value);
    let next = this.at;
    while (next < last && frames[next + 1].time <= this.clock) ++next;
    if (next === last && this.clock >= frames[last].time) {
      if (byId("repeat").getAttribute("aria-pressed") === "true") [next, this.clock] = [0, frames[0].time];
      else this.pause();
    }
    if (next === this.at) return false;
    this.at = next;
    return this.place(next);
  }
  scrub(index) {
    this.pause();
    this.show(index);
  }
  /** Shows a frame and all that depends on it. */
  show(index) {
    if (!this.frames[index]) return;
    this.app.play.stop();
    this.at = index;
    if (this.place(index)) this.app.say("");
    this.app.refresh();
  }
  /** Moves the robot to a frame. False if it cannot be shown. */
  place(index) {
    const { app } = this, frame = this.frames[index], problem = app.engine.set(frame.q);
    app.byHand = false;
    this.showPlace();
    if (problem) {
      app.report(`Row ${index + 1} of the record cannot be shown: ${problem}`);
      return false;
    }
    frame.q = app.engine.q();
    app.play.moving = frame.qd != null;
    if (app.play.moving) app.engine.setMotion(frame);
    return true;
  }
  showPlace() {
    const slider = byId("replay"), { frames } = this;
    slider.max = Math.max(frames.length - 1, 0);
    slider.value = this.at;
    const text = frames.length ? `${frames[this.at].time.toFixed(2)} s` : "";
    byId("time").textContent = text;
    slider.setAttribute("aria-valuetext", text);
  }

  /** Calls `work` for some frames while each is shown; the configuration before comes back. Frames that cannot be shown are left
   *  out. */
  visit(frames, work) {
    const { engine } = this.app, before = engine.q();
    for (const frame of frames) if (engine.set(frame.q) === null) work(frame);
    engine.set(before);
  }
  /** Shows a record that `grbda simulate` wrote, as {columns, rows}. */
  load({ columns, rows }, name) {
    const { robot } = this.app, { missing, spread } = placesOf(robot, columns);
    if (missing) return this.app.report(`The record has no column ${missing}: it is of another robot`);
    this.app.play.stop();
    const place = new Map(columns.map((column, i) => [column, i])), at = (row, column) => row[place.get(column)];
    const qd = velocitiesOf(robot, columns, "qd"), tau = velocitiesOf(robot, columns, "tau");
    const timed = rows.every((row, i) => Number.isFinite(at(row, "time")) && (i === 0 || at(row, "time") >= at(rows[i - 1], "time")));
    if (!timed) this.app.report(`${name} has no column time that increases: its rows are shown ${1 / UNTIMED} times a second`, "warning");
    const frames = rows.map((row, i) => ({ time: timed ? at(row, "time") : UNTIMED * i, kinetic: at(row, "kinetic") ?? 0, gravity: at(row, "gravity") ?? 0,
      elastic: at(row, "elastic") ?? 0, q: spread(row), qd: qd(row), tau: tau(row) }));
    this.begin("Record", { name: name.split("/").pop(), frames });
    this.show(0);
  }
  save() {
    const { app, current } = this, { robot } = app, columns = ["time", ...columnsOf(robot).map(({ name }) => name)];
    const names = current.values ?? ["kinetic", "gravity", "elastic"];
    this.visit(current.frames.filter((frame) => frame.q.some(Number.isNaN)), (frame) => { frame.q = app.engine.q(); });
    const whole = current.frames.filter((frame) => frame.q.every(Number.isFinite));
    if (whole.length < current.frames.length) app.report(`${current.frames.length - whole.length} rows that cannot be shown are not saved`, "warning");
    const rows = [[...columns, ...names.map((name) => (columns.includes(name) ? `sent ${name}` : name))],
      ...whole.map((frame) => [frame.time, ...frame.q, ...(frame.values ?? names.map((name) => frame[name]))])];
    download(new Blob([writeCsv(rows)], { type: "text/csv" }), `${robot.name}.csv`);
    current.saved = true;
  }
}

export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
