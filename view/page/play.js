// The simulation. Each run is a record.
import { STATUS } from "./engine.js";
import { byId } from "./element.js";
import { setLabel } from "./icons.js";
import { groundBelow } from "./ground.js";

const STEP = 1e-3, BUDGET = 8;  // s, ms of a frame
const pressed = (id) => byId(id).getAttribute("aria-pressed") === "true";
const press = (id, on) => byId(id).setAttribute("aria-pressed", String(on));

export class Play {
  constructor(app) {
    this.app = app;
    this.playing = this.started = this.slow = false;
    this.moving = false;  // whether the velocities of the robot shown are known
    byId("simulate").addEventListener("click", () => this.toggle());
    byId("step").addEventListener("click", () => this.single());
    byId("reset").addEventListener("click", () => app.reset());
    byId("ground").addEventListener("click", () => {
      press("ground", !pressed("ground"));
      this.stop();
      app.showGround();
    });
    byId("hold").addEventListener("click", () => this.holdPose(!pressed("hold")));
  }
  get holds() { return pressed("hold"); }
  /** Whether sliders move the pose that the simulation holds. */
  get aims() { return this.started && this.holds; }
  /** Another robot is shown: ground for those that would fall. */
  adapt() {
    press("ground", this.app.robot.floats);
    this.level = groundBelow(this.app).height;
    this.app.engine.hold(this.holds);
  }
  holdPose(on) {
    press("hold", on);
    const status = this.app.robot ? this.app.engine.hold(on) : 0;
    if (status !== 0) this.after(status);
  }
  /** Height of the ground: below the assembled pose, and below that shown; null without a ground. */
  ground() { return pressed("ground") ? Math.min(this.level, groundBelow(this.app).height) : null; }

  /** Starts at the configuration shown, at rest. False if it cannot. */
  begin() {
    if (this.started) return true;
    const { app } = this;
    app.feed?.pause();
    app.records.pause();
    app.byHand = false;
    const ground = this.ground(), status = app.engine.start(STEP, ground);
    if (status !== 0) {
      app.say(`The simulation cannot start here: ${STATUS[status] ?? "the engine failed"}. Move the robot first`, "error");
      return false;
    }
    app.showGround(ground);
    app.say(ground === null ? "" : groundBelow(app).note);
    this.started = true;
    app.records.begin("Simulation");
    this.keep();
    return true;
  }
  toggle() {
    if (!this.app.robot || !this.begin()) return;
    this.playing = !this.playing;
    this.showButton();
    this.app.status();
  }
  showButton() { setLabel(byId("simulate"), this.playing ? "pause" : "play", this.playing ? "Pause" : "Simulate"); }
  /** Ends the simulation; the configuration stays, at rest. */
  stop() {
    this.app.feed?.pause();
    this.moving = false;
    if (!this.started) return;
    this.playing = this.started = this.slow = false;
    this.app.engine.stop();
    this.app.joints.clearWarnings();
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
      this.app.say(`The simulation stopped: ${STATUS[status] ?? "the engine failed"}`, "error");
    }
    if (this.started) this.keep();
  }
  keep() {
    const { engine, plot, records } = this.app, { time, kinetic, gravity, elastic } = engine.figures();
    const some = (name) => (engine.buffer(name).some((x) => x !== 0) ? Array.from(engine.buffer(name)) : null);
    this.moving = true;
    records.push({ time, kinetic, gravity, elastic, q: engine.q(), qd: Array.from(engine.buffer("qd")), tau: some("controls"),
      wrenches: some("wrenches"), efforts: plot.wantsEfforts ? this.effortsHere() : undefined });
  }
  /** Forces of motors that hold the robot where it is. */
  effortsHere() { return this.app.engine.forces(false) === 0 ? Array.from(this.app.engine.buffer("motors")) : []; }
}
