// window.grbda: the page for programs and tests. docs/viewer.md describes it.
import { Color, Vector3 } from "three";
import { ON_ITS_WAY } from "./engine.js";
import { forcesOf } from "./forces.js";

const TRIES = 60;

export function offer(app, ready) {
  const joint = (name) => {
    const index = app.robot.indexOfJoint.get(name);
    if (index === undefined) throw new Error(`no joint '${name}'`);
    return app.robot.bodies[index];
  };
  const link = (name) => {
    const index = app.robot.indexOfLink.get(name);
    if (index === undefined) throw new Error(`no link '${name}'`);
    return index;
  };
  const origin = (body) => Array.from(app.engine.buffer("poses").subarray(12 * body + 9, 12 * body + 12));
  window.grbda = {
    ready,
    info: () => app.robot?.info ?? null,
    q: () => app.engine.q(),
    residual: () => app.engine.figures().residual,
    position: (name) => origin(link(name)),
    /** Moves a joint as its slider does. Returns where it then is. */
    set(name, value) {
      const body = joint(name), row = app.joints.rows.find((each) => each.body === body);
      if (row.isWheel) throw new Error(`joint '${name}' is moved by dragging`);
      app.rest();
      for (let i = 0; i < TRIES; ++i) {
        const before = app.engine.buffer("q")[row.at];
        if (app.joints.approach(row, value) !== 0 || Math.abs(app.engine.buffer("q")[row.at] - before) < 1e-12) break;
      }
      app.refresh();
      return app.engine.buffer("q")[row.at];
    },
    /** Drags the origin of a link to a point of the world. Returns the distance that is left, in m. */
    drag(name, target) {
      const body = link(name);
      app.rest();
      for (let i = 0; i < TRIES && app.engine.drag(body, [0, 0, 0], target, false) === ON_ITS_WAY; ++i);
      app.refresh();
      return app.engine.figures().gap;
    },
    /** Simulates so many seconds. Returns the time simulated since the start. */
    step(seconds) {
      app.play.single(seconds);
      return app.engine.figures().time;
    },
    reset: () => app.reset(),
    /** The program that moves the robot: its state, and how many of its messages have come. Null without one. */
    feed: () => (app.feed ? { state: app.feed.state, received: app.feed.received } : null),
    /** Shows the robot of files, [{path, text}]; `main`: those that describe it, by default all. */
    open: (files, main = files.map((file) => file.path), options = {}) => app.open({ files, main, options }),
    /** Positions and reductions of motors, and the forces that the panel of forces shows. */
    motors: () => app.robot.motors.map((motor, i) => ({ joint: app.robot.bodies[motor.body].joint, reduction: motor.reduction,
      effort: app.engine.buffer("motors")[i] })),
    /** Colours of what forces are shown by: of rods that are loops, by their names; null of other loops. */
    loopColours: () => Object.fromEntries(app.robot.loops.map((loop, i) => [loop.name, app.bodies.rods[i] ? `#${app.bodies.rods[i].material.color.getHexString()}` : null])),
    /** Curves of the plot: {name, values}. */
    curves: () => app.plot.curves().map(({ name, values }) => ({ name, values: Array.from(values) })),
    /** The colour by which a link glows. */
    glow: (name) => `#${app.bodies.meshes[link(name)].material.emissive.getHexString()}`,
    /** The directions of the camera: where it is, and the point that it turns about. */
    camera: () => ({ position: [...app.picture.camera.position], target: [...app.picture.controls.target] }),
    /** Forces as they are shown: {name, what, force, rest, unique}, N; `unique`: how many components statics determines. */
    forces: () => forcesOf(app).all.map(({ name, what, shown, rest, unique }) => ({ name, what, force: [...shown], rest, unique })),
    /** What a link is drawn by: number of triangles, corners of their box in the link's frame, colours of vertices. */
    drawn(name) {
      const { geometry } = app.bodies.meshes[link(name)], { min, max } = geometry.boundingBox, { index, attributes } = geometry;
      const colours = attributes.color ? Array.from({ length: attributes.color.count }, (_, i) => {
        const [r, g, b] = attributes.color.array.subarray(3 * i, 3 * i + 3);
        return new Color(r, g, b).getHexString();
      }) : [];
      return { triangles: (index ?? attributes.position).count / 3, min: [...min], max: [...max], colours: [...new Set(colours)] };
    },
    /** Explains in the panel why the bodies of two joints are in one cluster. */
    explain(a, b) {
      app.select(joint(a).index);
      app.selectSecond(joint(b).index);
    },
    /** Where the origin of a link is in the window, in pixels. */
    screen(name) {
      app.picture.camera.updateMatrixWorld();  // it may have moved since the last drawing
      const at = new Vector3(...origin(link(name))).project(app.picture.camera), box = app.picture.canvas.getBoundingClientRect();
      return { x: box.left + box.width * (1 + at.x) / 2, y: box.top + box.height * (1 - at.y) / 2 };
    },
    /** Time in ms of one call of the engine in the mean, over so many: "drag", "move", "step" or "draw". */
    measure: (what, count = 100) => measure(app, what, count),
  };
}

function measure(app, what, count) {
  const { engine, robot } = app, last = robot.bodies.length - 1;
  const pose = engine.buffer("poses"), at = [...pose.subarray(12 * last + 9, 12 * last + 12)];
  const v = robot.velocity(robot.bodies.find((body) => body.independent_components.length).index, 0);
  if (what === "step") engine.start(1e-3, null);
  const work = {
    drag: (i) => engine.drag(last, [0, 0, 0], [at[0] + 0.004 * Math.sin(i), at[1], at[2] + 0.004 * Math.cos(i)], false),
    move: (i) => engine.move(v, 0.01 * Math.cos(i)),
    step: () => engine.step(0.016, 8, null),  // as in a frame
    draw: () => { app.picture.changed(); app.redraw(); app.picture.draw(); app.picture.renderer.getContext().finish(); },
  }[what];
  const begun = performance.now();
  for (let i = 0; i < count; ++i) work(i);
  const mean = (performance.now() - begun) / count;
  engine.reset();
  app.refresh();
  return mean;
}
