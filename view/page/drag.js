// Dragging bodies by pointer: mouse, pen or finger. The target moves in the plane through the grabbed point that faces the camera.
import { Vector3 } from "three";
import { Tether } from "./bodies.js";
import { ON_ITS_WAY } from "./engine.js";

export class Dragging {
  constructor(app) {
    this.app = app;
    this.tether = new Tether(app.picture);
    this.held = null;
    this.before = null;  // the configuration before the last drag
    const { canvas } = app.picture;
    canvas.addEventListener("pointerdown", (event) => this.grab(event), true);
    canvas.addEventListener("pointermove", (event) => this.move(event), true);
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.release(event), true);
    canvas.addEventListener("pointerleave", () => app.hover(null, null));
  }

  grab(event) {
    const { app } = this;
    if (event.button !== 0 || !app.bodies || this.held) return;
    const hit = app.bodies.pick(app.picture.ray(event));
    if (event.shiftKey && hit) return app.selectSecond(hit.body);
    if (!hit) return;
    app.select(hit.body);
    app.hover(null, null);
    app.picture.controls.enabled = false;
    app.picture.canvas.setPointerCapture(event.pointerId);
    const point = hit.point.clone().applyMatrix4(app.bodies.matrix(hit.body).clone().invert());
    this.held = { id: event.pointerId, body: hit.body, point: [...point], target: hit.point.clone(),
      plane: app.picture.facing(hit.point), before: app.engine.q(), turn: false, fresh: false };
  }
  move(event) {
    const { app, held } = this;
    if (!held) {
      if (event.pointerType === "mouse" && event.buttons === 0 && app.bodies)
        app.hover(app.bodies.pick(app.picture.ray(event)), event);
      return;
    }
    if (event.pointerId !== held.id) return;
    const at = app.picture.ray(event).ray.intersectPlane(held.plane, new Vector3());
    if (!at) return;
    held.target = at;
    held.turn = event.shiftKey;
    held.fresh = true;
  }
  release(event) {
    if (!this.held || (event && event.pointerId !== this.held.id)) return;
    this.before = this.app.play.started ? null : this.held.before;
    this.held = null;
    this.app.picture.controls.enabled = true;
    this.tether.show(null);
    this.app.picture.changed();
    this.app.refresh();
  }
  /** Escape: the configuration before the drag, or before the last one. In a simulation the body is released, and moves on. */
  undo() {
    const { app } = this;
    this.release(null);
    if (app.play.started || !this.before) return;
    app.rest();
    const problem = app.engine.set(this.before);
    this.forget();
    app.say("");
    if (problem) app.report(`The configuration before the drag cannot be shown: ${problem}`);
    app.refresh();
  }
  /** Another robot is shown. */
  forget() {
    this.held = this.before = null;
    this.app.picture.controls.enabled = true;
    this.tether.show(null);
  }

  /** Called every frame while a body is held and nothing is simulated. True if the robot moved. */
  follow() {
    const { app, held } = this;
    if (!held || !held.fresh) return false;
    const outcome = app.engine.drag(held.body, held.point, [...held.target], held.turn);
    held.fresh = outcome === ON_ITS_WAY;  // it goes on in the next frame
    this.report(outcome);
    return true;
  }
  report(outcome) {
    const { app, held } = this, { gap } = app.engine.figures();
    const nearer = outcome === ON_ITS_WAY && gap < 0.95 * (held.gap ?? Infinity);
    held.gap = gap;
    if (gap < 2e-3 * app.picture.size || nearer) return app.say("");
    const why = this.reasons().join("; ") || "out of reach";
    app.say(`${app.robot.bodies[held.body].name} is ${app.units.length(gap)} short of the pointer (${why})`, "warning");
  }
  /** The joints that stop the drag, those that do most first. */
  reasons() {
    const stops = this.app.engine.buffer("stops"), { bodies } = this.app.robot;
    const list = (sign) => bodies.filter(({ index }) => sign * stops[index] > 0).sort((a, b) => Math.abs(stops[b.index]) - Math.abs(stops[a.index]))
      .slice(0, 3).map(({ joint }) => joint).join(", ");
    const limits = list(1), locks = list(-1);
    return [limits && `at a limit: ${limits}`, locks && `locked: ${locks}`].filter(Boolean);
  }
  /** The line from the grabbed point to the pointer. */
  draw() {
    if (!this.held) return;
    const from = new Vector3(...this.held.point).applyMatrix4(this.app.bodies.matrix(this.held.body));
    this.tether.show(from, this.held.target);
  }
  spring() {
    return this.held ? { body: this.held.body, point: this.held.point, target: [...this.held.target] } : null;
  }
}
