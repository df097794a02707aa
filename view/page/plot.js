// Curves over time of the record shown: energy, joints, positions and efforts of motors, numbers that a program sends. Curves of one
// unit share a lane with an axis of its own.
import { byId, make } from "./element.js";
import { ticks } from "./scale.js";
import { short } from "./units.js";

const POINTS = 1000;  // of a curve, at most
const LANE = 74, LEFT = 62, RIGHT = 22, TOP = 16, TIMES = 16;  // pixels
const COLOURS = ["#d55e00", "#0072b2", "#009e73", "#b0518c", "#9a7d00", "#7a68b3", "#3a8fc7", "#8a5a2b"];
const LIGHTER = ["#ff8a4c", "#5db4f0", "#3fcf9f", "#e58fc4", "#d8c04a", "#a99be0", "#8cc8ee", "#d2a679"];  // on a dark page
const dark = matchMedia("(prefers-color-scheme: dark)");

export class Plot {
  constructor(app) {
    this.app = app;
    this.canvas = byId("curves");
    this.chosen = [];
    this.hovered = null;  // the frame under the pointer
    byId("quantity").addEventListener("change", ({ target }) => {
      const { value } = target;
      target.value = "";
      if (value) this.add(value);
    });
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.frameAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.hover(null));
    this.canvas.addEventListener("click", (event) => this.app.records.scrub(this.frameAt(event)));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    dark.addEventListener("change", () => this.draw());
  }
  build() {
    const { robot, feed } = this.app, option = (value, textContent) => make("option", { value, textContent });
    const options = (feed?.values ?? []).map((name, i) => option(`sent ${i}`, name));
    const first = options.length ? "sent 0" : "energy";
    options.push(option("energy", "energy"));
    for (const body of robot.bodies)
      body.freedoms.forEach((_, k) => {
        const at = robot.position(body.index, k);
        if (at >= 0) options.push(option(`joint ${body.index} ${k}`, body.freedoms.length > 1 ? `${body.joint} ${k}` : body.joint));
      });
    robot.motors.forEach((motor, i) => {
      const { joint, index, floating_base: floats } = robot.bodies[motor.body];
      if (floats) return;
      if (robot.position(index, motor.component) >= 0) options.push(option(`motor ${i}`, `motor of ${joint}: position`));
      options.push(option(`effort ${i}`, `motor of ${joint}: effort at rest`));
    });
    byId("quantity").replaceChildren(make("option", { value: "", textContent: "Add a curve…" }), ...options);
    this.names = new Map(options.map(({ value, textContent }) => [value, textContent]));
    this.chosen = [first];
    this.showChips();
    byId("plot").hidden = true;
  }
  add(value) {
    if (!this.chosen.includes(value)) this.chosen.push(value);
    this.findEfforts();
    this.showChips();
    this.draw();
  }
  remove(value) {
    this.chosen = this.chosen.filter((each) => each !== value);
    this.showChips();
    this.draw();
  }
  showChips() {
    byId("chips").replaceChildren(...this.chosen.map((value) => {
      const chip = make("button", { className: "chip", textContent: `${this.names.get(value)} ×`, title: `Remove the curve ${this.names.get(value)}` });
      chip.addEventListener("click", () => this.remove(value));
      return chip;
    }));
  }

  get wantsEfforts() { return this.chosen.some((value) => value.startsWith("effort ")); }
  /** Computes the efforts of frames that have none yet; of a long record of as many as are drawn. */
  findEfforts() {
    const { play, records } = this.app, skip = Math.ceil(records.frames.length / POINTS);
    if (!this.wantsEfforts) return;
    records.visit(records.frames.filter((frame, i) => i % skip === 0 && !frame.efforts), (frame) => { frame.efforts = play.effortsHere(); });
  }
  /** Curves of a choice: {name, unit, of}, with `of` the number of a frame. */
  quantities(what) {
    const [kind, index, component] = what.split(" "), { robot, units } = this.app, name = this.names.get(what);
    if (kind === "energy") return [{ name: "kinetic", unit: "J", of: (f) => f.kinetic }, { name: "potential", unit: "J", of: (f) => f.gravity + f.elastic },
      { name: "total", unit: "J", of: (f) => f.kinetic + f.gravity + f.elastic }];
    if (kind === "sent") return [{ name, unit: name, of: (frame) => frame.values?.[index] }];
    const motor = kind === "joint" ? { body: Number(index), component: Number(component), reduction: 1 } : robot.motors[index];
    const freedom = robot.bodies[motor.body].freedoms[motor.component], slides = freedom === "slide";
    if (kind === "effort") return [{ name, unit: slides ? "N" : "N·m", of: (frame) => frame.efforts?.[index] }];
    const at = robot.position(motor.body, motor.component), scale = motor.reduction * units.scale(freedom);
    return [{ name, unit: units.name(freedom), of: (frame) => scale * frame.q[at] }];
  }
  curves() {
    const colours = dark.matches ? LIGHTER : COLOURS;
    return this.chosen.flatMap((what) => this.quantities(what))
      .map((curve, i) => ({ ...curve, colour: colours[i % colours.length], values: this.app.records.frames.map(curve.of) }));
  }

  get span() {
    const { frames } = this.app.records, first = frames[0].time;
    return { first, length: Math.max(frames.at(-1).time - first, 1e-9), width: this.canvas.clientWidth - LEFT - RIGHT };
  }
  frameAt({ clientX }) {
    const { frames } = this.app.records, { first, length, width } = this.span;
    const time = first + length * (clientX - this.canvas.getBoundingClientRect().left - LEFT) / width;
    return frames.reduce((best, frame, i) => (Math.abs(frame.time - time) < Math.abs(frames[best].time - time) ? i : best), 0);
  }
  hover(frame) {
    if (frame === this.hovered) return;
    this.hovered = frame;
    this.draw();
  }
  draw() {
    const { frames, at } = this.app.records, hidden = frames.length < 2;
    if (byId("plot").hidden !== hidden) byId("plot").hidden = hidden;
    if (hidden) return;
    const curves = this.curves(), lanes = [...new Set(curves.map(({ unit }) => unit))], { canvas } = this;
    const height = Math.min(lanes.length, 4) * LANE + TIMES, ratio = Math.min(devicePixelRatio, 2), width = canvas.clientWidth;
    if (!width) return;
    canvas.style.height = `${lanes.length ? height : 0}px`;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    this.pen = { context, dim: style.getPropertyValue("--dim"), line: style.getPropertyValue("--line") };
    const shown = this.hovered ?? at, x = (time) => LEFT + this.span.width * (time - this.span.first) / this.span.length;
    lanes.slice(0, 4).forEach((unit, k) => this.drawLane(curves.filter((curve) => curve.unit === unit), unit, k * LANE, x, shown));
    this.drawTimes(x, height);
    context.fillStyle = style.getPropertyValue("--accent");
    context.fillRect(x(frames[Math.min(shown, frames.length - 1)].time) - 0.5, 0, 1, height - TIMES);
  }
  drawLane(curves, unit, top, x, shown) {
    const { context, dim, line } = this.pen, { frames } = this.app.records, right = this.canvas.clientWidth - RIGHT;
    const values = curves.flatMap((curve) => curve.values).filter(Number.isFinite);
    let low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!values.length) [low, high] = [0, 1];
    if (high - low < 1e-9 * Math.max(1, Math.abs(high))) [low, high] = [low - 0.5, high + 0.5];
    const y = (value) => top + LANE - 6 - (LANE - TOP - 8) * (value - low) / (high - low);
    context.textAlign = "right";
    for (const value of ticks(low, high, 3)) {
      context.fillStyle = line;
      context.fillRect(LEFT, y(value), right - LEFT, 1);
      context.fillStyle = dim;
      context.fillText(short(value), LEFT - 5, y(value) + 4);
    }
    const skip = Math.ceil(frames.length / POINTS);
    context.textAlign = "left";
    let left = LEFT;
    for (const { colour, name, values: list } of curves) {
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = 1.5;
      context.beginPath();
      for (let i = 0; i < list.length; i += skip) if (Number.isFinite(list[i])) context.lineTo(x(frames[i].time), y(list[i]));
      context.stroke();
      const text = `${name} ${Number.isFinite(list[shown]) ? `${short(list[shown])} ${unit === name ? "" : unit}` : ""}`;
      context.fillText(text, left, top + 11);
      left += context.measureText(text).width + 16;
    }
  }
  drawTimes(x, height) {
    const { context, dim } = this.pen, { first, length, width } = this.span;
    context.fillStyle = dim;
    context.textAlign = "center";
    for (const time of ticks(first, first + length, Math.max(2, width / 90))) context.fillText(`${short(time)} s`, x(time), height - 3);
  }
}
