// A slider and a number for every coordinate of every joint, dependent ones too. Sliders of rotations in space and of floating bodies
// move the body while they are pulled and go back to their middle. While a simulation holds a pose, sliders show and move that pose, numbers show where
// the joints are.
import { STATUS } from "../engine.js";
import { byId, make } from "../element.js";
import { short } from "../units.js";

const LARGEST = 0.06;  // rad or m in one call of the engine: change points are seen between

export class Joints {
  constructor(app) {
    this.app = app;
    this.rows = [];
    byId("filter").addEventListener("input", () => this.filter());
    for (const id of ["independents", "motors"]) byId(id).addEventListener("change", () => this.filter());
    byId("degrees").addEventListener("change", (event) => {
      app.units.common = event.target.checked;
      this.show();
      app.plot.draw();
    });
  }
  build() {
    const { robot } = this.app;
    this.rows = [...robot.bodies.flatMap((body) => body.freedoms.map((freedom, k) => this.row(body, freedom, k))),
      ...robot.motors.map((motor) => this.row(robot.bodies[motor.body], robot.bodies[motor.body].freedoms[motor.component], motor.component, motor))];
    byId("sliders").replaceChildren(...this.rows.map((row) => row.element));
    this.filter();
  }
  /** A slider of a coordinate, or of the motor that drives it: its position is the coordinate's times the reduction. */
  row(body, freedom, k, motor = null) {
    const { app } = this, { robot } = app;
    // components of a joint that turns in space are along its own axes, and not numbers in q
    const at = robot.position(body.index, k), isWheel = body.freedoms.includes("rotation");
    const q = app.engine.buffer("q"), slides = freedom === "slide";
    const reach = slides ? 0.5 * app.picture.size : Math.PI;
    const middle = isWheel || body.lower !== null || !slides ? 0 : q[at];
    const scale = isWheel ? 1 : motor?.reduction ?? 1;
    const ends = isWheel ? [-1, 1] : [scale * (body.lower ?? middle - reach), scale * (body.upper ?? middle + reach)];
    const dependent = !body.independent_components.includes(k);
    const joint = body.freedoms.length > 1 ? `${body.joint} ${slides ? "xyz"[k % 3] : "turn " + "xyz"[k % 3]}` : body.joint, name = motor ? `motor of ${joint}` : joint;
    const input = make("input", { type: "range", min: Math.min(...ends), max: Math.max(...ends), step: "any", value: isWheel ? 0 : scale * q[at],
      "aria-label": name });
    const counts = !isWheel || slides;  // the origin of a floating body has numbers in q, a rotation in space has none
    const field = counts ? make("input", { type: "number", step: "any", "aria-label": `Position of ${name}` }) : make("span");
    if (isWheel) input.setAttribute("aria-valuetext", "moves the body while it is pulled, along its own axis");
    const unit = make("span", { className: "unit" }), why = make("div", { className: "why" });
    const lock = make("button", { className: "lock", textContent: "lock", title: `Keep ${body.joint} where it is`, "aria-pressed": "false" });
    const element = make("div", { className: `joint${motor ? " motor" : ""}${dependent ? " dependent" : ""}` },
      make("span", { className: `name${counts ? "" : " wide"}`, textContent: name, title: motor ? `reduction ${short(scale)}` : `${name}: ${body.type}, ${dependent ? "dependent" : "independent"}` }),
      ...(counts ? [field, unit] : []), k === 0 && !motor ? lock : make("span"), input, why);
    const row = { element, input, field, unit, why, lock, body, k, at, freedom, name, dependent, motor, scale, wanted: null, isWheel, counts };
    input.addEventListener("input", () => { row.wanted = Number(input.value) / scale; });
    input.addEventListener("change", () => this.release(row));
    field.addEventListener("change", () => this.enter(row));
    if (counts) field.addEventListener("focus", () => app.select(body.index, row));
    element.addEventListener("pointerdown", () => app.select(body.index, row));
    input.addEventListener("focus", () => app.select(body.index, row));
    lock.addEventListener("click", () => this.lock(row, lock.getAttribute("aria-pressed") !== "true"));
    return row;
  }
  lock(row, on) {
    row.lock.setAttribute("aria-pressed", String(on));
    this.app.engine.lock(row.body.index, on);
  }
  release(row) {
    if (row.isWheel) {
      row.wanted = null;
      row.input.value = 0;
    }
    this.app.refresh();
  }
  /** A number that was written into the field. */
  enter(row) {
    const value = row.field.value === "" ? NaN : Number(row.field.value) / (row.scale * this.app.units.scale(row.freedom));
    row.field.blur();
    if (Number.isFinite(value) && row.isWheel) return this.putOrigin(row, value);
    if (Number.isFinite(value)) row.wanted = value;
    this.show();
  }
  /** The slider of a floating body moves it along its own axes, its numbers are along those of its parent. */
  putOrigin(row, value) {
    const { app } = this, q = app.engine.q();
    app.rest();
    q[row.at] = value;
    const why = app.engine.set(q);
    app.say(why ? `${row.body.name} cannot be put there: ${why}` : "", "error");
    app.refresh();
  }
  filter() {
    const text = byId("filter").value.toLowerCase(), independents = byId("independents").checked, motors = byId("motors").checked;
    for (const row of this.rows) {
      const shown = motors ? row.motor !== null : row.motor === null && !(independents && row.dependent);
      row.element.style.display = shown && row.name.toLowerCase().includes(text) ? "" : "none";
    }
  }

  /** Where a coordinate is, or where the pose has it that a simulation holds. */
  aim(row) { return this.app.engine.buffer(this.app.play.aims ? "target" : "q")[row.at]; }
  /** Moves a coordinate towards a value. Returns the status of the engine. */
  approach(row, value) {
    const { engine, robot } = this.app, v = robot.velocity(row.body.index, row.k);
    const missing = row.isWheel ? 0.05 * value : value - this.aim(row);
    if (Math.abs(missing) < 1e-12) return 0;
    const parts = Math.max(1, Math.ceil(Math.abs(missing) / LARGEST)), budget = performance.now() + 6;
    let status = 0;
    for (let i = 0; i < parts && status === 0; ++i) {
      status = engine.move(v, missing / parts);
      if (performance.now() > budget) break;
    }
    return status;
  }
  /** Called every frame: moves what sliders ask for. True if the robot moved. */
  follow() {
    let moved = false;
    for (const row of this.rows) {
      if (row.wanted === null) continue;
      const status = this.approach(row, row.wanted);
      const reached = row.isWheel || Math.abs(this.aim(row) - row.wanted) < 1e-9;
      row.element.classList.toggle("stuck", status !== 0);
      row.why.textContent = status === 0 ? "" : STATUS[status] ?? "this joint cannot move here";
      if (!row.isWheel && (status !== 0 || reached)) row.wanted = null;
      moved = true;
    }
    return moved;
  }
  /** Forgets what sliders ask for. True if they did. */
  drop() {
    const asked = this.rows.filter((row) => row.wanted !== null);
    for (const row of asked) row.wanted = null;
    return asked.length > 0;
  }
  clearWarnings() {
    for (const row of this.rows) {
      row.wanted = null;
      row.why.textContent = "";
      row.element.classList.remove("stuck");
    }
  }
  /** Writes positions to rows and sliders. */
  show() {
    const q = this.app.engine.buffer("q"), { units } = this.app;
    for (const row of this.rows) {
      if (!row.counts) continue;
      const value = units.number(row.freedom, row.scale * q[row.at]), unit = units.name(row.freedom);
      if (row.unit.textContent !== unit) row.unit.textContent = unit;  // a new text costs a layout of the panel
      if (row.field !== document.activeElement && row.field.value !== value) row.field.value = value;
      if (row.isWheel) continue;
      const aim = this.aim(row), text = units.of(row.freedom, row.scale * aim);
      if (row.input.getAttribute("aria-valuetext") !== text) row.input.setAttribute("aria-valuetext", text);
      if (row.wanted === null) this.place(row, aim);
    }
  }
  place(row, x) {
    const free = row.body.lower === null && row.freedom !== "slide";
    row.input.value = row.scale * (free ? x - 2 * Math.PI * Math.round(x / (2 * Math.PI)) : x);
  }
  select(body) {
    for (const row of this.rows) row.element.classList.toggle("selected", row.body.index === body);
  }
  reveal(body) {
    this.rows.find((row) => row.body.index === body)?.element.scrollIntoView({ block: "nearest" });
  }
  /** Arrow keys: the selected joint by one hundredth. */
  nudge(body, sign) {
    const row = this.rows.find((each) => each.body.index === body);
    if (!row || row.isWheel) return;
    row.wanted = this.aim(row) + sign * (row.freedom === "slide" ? 0.005 * this.app.picture.size : 0.03);
  }
}
