// The simulation and its record.
import { STATUS } from "./engine.js";
import { byId } from "./element.js";

const STEP = 1e-3, BUDGET = 8;  // s, ms of a frame
const MOST = 20000;  // frames of a record

export class Play {
  constructor(app) {
    this.app = app;
    this.record = [];
    this.playing = this.started = false;
    byId("play").addEventListener("click", () => this.toggle());
    byId("step").addEventListener("click", () => this.single());
    byId("reset").addEventListener("click", () => app.reset());
    byId("replay").addEventListener("input", (event) => this.replay(Number(event.target.value)));
    byId("save").addEventListener("click", () => this.save());
    byId("ground").addEventListener("change", () => this.stop());
  }
  begin() {
    if (this.started) return;
    const { engine, picture } = this.app;
    engine.start(STEP, byId("ground").checked ? picture.box.min.z - 0.02 * picture.size : null);
    this.started = true;
    this.record = [];
    this.keep();
  }
  toggle() {
    if (!this.app.robot) return;
    this.begin();
    this.playing = !this.playing;
    this.showButton();
  }
  showButton() { byId("play").textContent = this.playing ? "❚❚ Pause" : "▶ Play"; }
  /** Ends the simulation; the configuration stays, at rest. */
  stop() {
    if (!this.started) return;
    this.playing = this.started = false;
    this.app.engine.stop();
    this.showButton();
  }
  single(seconds = 0.01) {
    if (!this.app.robot) return 0;
    this.begin();
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
    if (this.record.length >= MOST) this.record.shift();
    const { time, kinetic, gravity, elastic } = this.app.engine.figures();
    this.record.push({ time, kinetic, gravity, elastic, q: this.app.engine.q() });
    const slider = byId("replay");
    slider.max = this.record.length - 1;
    slider.value = slider.max;
  }
  replay(index) {
    const frame = this.record[index];
    if (!frame) return;
    this.stop();
    this.app.engine.set(frame.q);
    this.app.refresh();
    this.app.plot.draw(index);
  }
  /** Shows a record that `grbda simulate` wrote, as {columns, rows}. */
  load({ columns, rows }) {
    const { robot } = this.app, place = new Map(columns.map((name, i) => [name, i]));
    const tied = new Set();  // joints that loops may close: those of rods have no columns
    const names = robot.bodies.flatMap((body) => {
      const size = body.freedoms.length + (body.freedoms.includes("rotation") ? 1 : 0);
      const own = Array.from({ length: size }, (_, k) => `q:${body.joint}${size > 1 ? `[${k}]` : ""}`);
      if (robot.clusterOf(body.index).rows > 0) own.forEach((name) => tied.add(name));
      return own;
    });
    const missing = names.filter((name) => !place.has(name) && !tied.has(name));
    if (missing.length) return this.app.say(`The record has no column ${missing[0]}: it is of another robot`);
    this.stop();
    const at = (row, name) => row[place.get(name)] ?? 0;
    this.record = rows.map((row) => ({ time: at(row, "time"), kinetic: at(row, "kinetic"), gravity: at(row, "gravity"),
      elastic: at(row, "elastic"), q: names.map((name) => place.has(name) ? at(row, name) : NaN) }));
    byId("replay").max = this.record.length - 1;
    byId("replay").value = 0;
    this.replay(0);
  }
  save() {
    const { robot } = this.app, columns = ["time"];
    for (const body of robot.bodies) {
      const size = body.freedoms.length + (body.freedoms.includes("rotation") ? 1 : 0);
      for (let k = 0; k < size; ++k) columns.push(`q:${body.joint}${size > 1 ? `[${k}]` : ""}`);
    }
    const lines = [[...columns, "kinetic", "gravity", "elastic"].join(",")];
    for (const { time, q, kinetic, gravity, elastic } of this.record) lines.push([time, ...q, kinetic, gravity, elastic].join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = `${robot.name}.csv`;
    link.click();
  }
}

/** Rows of a CSV or JSON file of `grbda simulate`. */
export function parseRecord(text) {
  if (text.trimStart().startsWith("{")) return JSON.parse(text);
  const [head, ...rows] = text.trim().split("\n").filter((line) => !line.startsWith("#")).map((line) => line.split(","));
  return { columns: head.map((name) => name.replace(/^"|"$/g, "")), rows: rows.map((row) => row.map(Number)) };
}
