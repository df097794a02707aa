// Curves over time of the record: energy, any joint, positions and efforts of motors.
import { byId, make } from "./element.js";
import { short } from "./units.js";

const POINTS = 1000;  // of a curve, at most

export class Plot {
  constructor(app) {
    this.app = app;
    this.canvas = byId("curves");
    byId("quantity").addEventListener("change", () => {
      this.findEfforts();
      this.draw();
    });
  }
  build() {
    const sent = (this.app.feed?.values ?? []).map((name, i) => make("option", { value: `sent ${i}`, textContent: name }));
    const options = [...sent, make("option", { value: "energy", textContent: "energy" })];
    for (const body of this.app.robot.bodies)
      body.freedoms.forEach((_, k) => {
        const at = this.app.robot.position(body.index, k);
        if (at >= 0) options.push(make("option", { value: String(at), textContent: body.freedoms.length > 1 ? `${body.joint} ${k}` : body.joint }));
      });
    this.app.robot.motors.forEach((motor, i) => {
      const { joint, index } = this.app.robot.bodies[motor.body];
      if (this.app.robot.position(index, motor.component) >= 0) options.push(make("option", { value: `motor ${i}`, textContent: `motor of ${joint}: position` }));
      options.push(make("option", { value: `effort ${i}`, textContent: `motor of ${joint}: effort at rest` }));
    });
    byId("quantity").replaceChildren(...options);
    byId("plot").hidden = true;
  }
  get wantsEfforts() { return byId("quantity").value.startsWith("effort "); }
  /** Computes the efforts of frames that have none yet; of a long record of as many as are drawn. */
  findEfforts() {
    const { play } = this.app, skip = Math.ceil(play.record.length / POINTS);
    if (!this.wantsEfforts) return;
    play.visit(play.record.filter((frame, i) => i % skip === 0 && !frame.efforts), (frame) => { frame.efforts = play.effortsHere(); });
  }
  /** The number of a frame that is plotted. */
  quantity(what) {
    const [kind, index] = what.split(" "), { robot } = this.app;
    if (kind === "sent") return (frame) => frame.values?.[index];
    if (kind === "effort") return (frame) => frame.efforts?.[index];
    if (kind !== "motor") return (frame) => frame.q[kind];
    const { body, component, reduction } = robot.motors[index], at = robot.position(body, component);
    return (frame) => reduction * frame.q[at];
  }
  curves() {
    const { record } = this.app.play, what = byId("quantity").value, of = this.quantity(what);
    if (what !== "energy") return [{ name: byId("quantity").selectedOptions[0].textContent, colour: "#0072b2", values: record.map(of) }];
    return [{ name: "kinetic", colour: "#d55e00", values: record.map((f) => f.kinetic) },
      { name: "potential", colour: "#0072b2", values: record.map((f) => f.gravity + f.elastic) },
      { name: "total", colour: "#009e73", values: record.map((f) => f.kinetic + f.gravity + f.elastic) }];
  }
  draw(marked = null) {
    const { record } = this.app.play;
    byId("plot").hidden = record.length < 2;
    if (record.length < 2) return;
    const { canvas } = this, ratio = Math.min(devicePixelRatio, 2), width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d"), curves = this.curves();
    context.scale(ratio, ratio);
    const values = curves.flatMap((curve) => curve.values).filter(Number.isFinite);
    let low = Math.min(...values, values.length ? Infinity : 0), high = Math.max(...values, values.length ? -Infinity : 0);
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    const t0 = record[0].time, t1 = record[record.length - 1].time;
    const x = (t) => 50 + (width - 60) * (t - t0) / Math.max(t1 - t0, 1e-9), y = (v) => height - 14 - (height - 22) * (v - low) / (high - low);
    const skip = Math.ceil(record.length / POINTS);
    for (const { colour, values: list } of curves) {
      context.strokeStyle = colour;
      context.beginPath();
      for (let i = 0; i < list.length; i += skip) if (Number.isFinite(list[i])) context.lineTo(x(record[i].time), y(list[i]));
      context.stroke();
    }
    this.letter(context, curves, { low, high, t1, width, height });
    if (marked !== null) context.strokeRect(x(record[marked].time), 4, 0.5, height - 18);
  }
  letter(context, curves, { low, high, t1, width, height }) {
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--dim");
    context.fillText(short(high), 2, 12);
    context.fillText(short(low), 2, height - 14);
    context.fillText(`${t1.toFixed(2)} s`, width - 45, height - 2);
    let left = 55;
    for (const { name, colour } of curves) {
      context.fillStyle = colour;
      context.fillText(name, left, height - 2);
      left += context.measureText(name).width + 14;
    }
  }
}
