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
  /** Starts a simulation unless one runs. False, with a message, if it cannot start here. */
  begin() {
    if (this.started) return true;
    this.app.feed?.pause();
    const { engine, picture } = this.app;
    const status = engine.start(STEP, byId("ground").checked ? picture.box.min.z - 0.02 * picture.size : null);
    if (status !== 0) this.app.say(`The simulation cannot start here: ${STATUS[status] ?? "failed"}`);
    if (status !== 0) return false;
    this.started = true;
    this.record = [];
    this.keep();
    return true;
  }
  toggle() {
    if (!this.app.robot || !this.begin()) return;
    this.playing = !this.playing;
    this.showButton();
  }
  showButton() { byId("play").textContent = this.playing ? "❚❚ Pause" : "▶ Play"; }
  /** Ends the simulation; the configuration stays, at rest. */
  stop() {
    this.app.feed?.pause();
    if (!this.started) return;
    this.playing = this.started = false;
    this.app.engine.stop();
    this.showButton();
  }
  single(seconds = 0.01) {
    if (!this.app.robot || !this.begin()) return 0;
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
    const { time, kinetic, gravity, elastic } = this.app.engine.figures();
    this.push({ time, kinetic, gravity, elastic, q: this.app.engine.q() });
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
    this.app.say("");
    if (this.app.set(frame.q, "This configuration of the record")) frame.q = this.app.engine.q();
    this.app.refresh();
    this.app.plot.draw(index);
  }
  /** Shows a record of `grbda simulate` from its text. */
  load(text) {
    const parsed = parseRecord(text);
    if (!parsed) return this.app.say("The file is no record: expected the CSV or JSON of `grbda simulate`");
    const { columns, rows } = parsed, { missing, spread } = placesOf(this.app.robot, columns);
    if (missing) return this.app.say(`The record has no column ${missing}: it is of another robot`);
    this.stop();
    const place = new Map(columns.map((name, i) => [name, i])), at = (row, name) => row[place.get(name)] ?? 0;
    this.record = rows.map((row) => ({ time: at(row, "time"), kinetic: at(row, "kinetic"), gravity: at(row, "gravity"),
      elastic: at(row, "elastic"), q: spread(row) }));
    byId("replay").max = this.record.length - 1;
    byId("replay").value = 0;
    this.replay(0);
  }
  save() {
    const columns = ["time", ...columnsOf(this.app.robot).map(({ name }) => name)];
    const sent = this.record[0]?.values !== undefined, names = sent ? this.app.feed.values : ["kinetic", "gravity", "elastic"];
    const lines = [[...columns, ...names.map((name) => (columns.includes(name) ? `sent ${name}` : name))].map(quoted).join(",")];
    for (const frame of this.record) lines.push([frame.time, ...frame.q, ...(frame.values ?? names.map((name) => frame[name]))].join(","));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = `${this.app.robot.name}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

/** Columns of q, as `grbda simulate` has them: {name, cluster}. */
function columnsOf(robot) {
  return robot.bodies.flatMap((body) => {
    const size = body.freedoms.length + (body.freedoms.includes("rotation") ? 1 : 0), cluster = robot.clusterOf(body.index);
    return Array.from({ length: size }, (_, k) => ({ name: `q:${body.joint}${size > 1 ? `[${k}]` : ""}`, cluster }));
  });
}

/** How numbers in columns become q of the page's robot: {missing, spread}. `missing`: the first column that it lacks.
 *  `spread(row)` leaves joints of rods, which may lack columns, as NaN: the engine closes their loops. */
export function placesOf(robot, columns) {
  const place = new Map(columns.map((name, i) => [name, i])), wanted = columnsOf(robot);
  const given = new Set(wanted.filter(({ name }) => place.has(name)).map(({ cluster }) => cluster));
  const missing = wanted.find(({ name, cluster }) => !place.has(name) && !(cluster.rows > 0 && given.has(cluster)))?.name;
  return { missing, spread: (row) => wanted.map(({ name }) => (place.has(name) ? row[place.get(name)] : NaN)) };
}

/** Cells of a line of CSV. Quoted ones may contain commas and doubled quotes. */
function cells(line) {
  return [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
}
const quoted = (name) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);

/** {columns, rows} of a CSV or JSON file of `grbda simulate`; null for other texts. */
function parseRecord(text) {
  let record = null;
  if (text.trimStart().startsWith("{")) {
    try { record = JSON.parse(text); } catch { return null; }
  } else {
    const [head, ...rows] = text.trim().split(/\r?\n/).filter((line) => !line.startsWith("#"));
    record = { columns: cells(head ?? ""), rows: rows.map((row) => cells(row).map(Number)) };
  }
  const { columns, rows } = record;
  const isRow = (row) => Array.isArray(row) && row.length === columns.length;
  return Array.isArray(columns) && Array.isArray(rows) && rows.length && rows.every(isRow) ? record : null;
}
