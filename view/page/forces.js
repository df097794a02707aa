// Forces of loops, bearings and motors, at rest or in motion: arrows, colours of rods, and a table.
import { Matrix4, Vector3 } from "three";
import { STATUS } from "./engine.js";
import { byId, make } from "./element.js";
import { matrixOf } from "./bodies.js";
import { plural, short } from "./units.js";

const AT_REST = "The motors hold this configuration, or the independent joints if no motors are named.";
const IN_MOTION = "Of this instant: from positions, velocities, contacts, the spring that drags, and motor forces, which are zero in " +
  "the page's simulation and in records without columns tau:. Stops at limits are left out.";

/** Computes forces and shows them in picture and table. */
export function showForces(app) {
  const { engine, robot } = app;
  const { moving } = app.play, status = engine.forces(moving);
  byId("force-title").textContent = moving ? "Forces in motion" : "Forces at rest";
  byId("force-kind").textContent = moving ? IN_MOTION : AT_REST;
  if (status !== 0) {
    app.bodies.showForces(null);
    byId("force-list").replaceChildren(make("p", { textContent: `No forces: ${STATUS[status] ?? "failed"}.` }));
    return;
  }
  const loops = engine.buffer("loopForces"), joints = engine.buffer("jointForces");
  const poses = engine.buffer("poses"), ends = engine.buffer("loopEnds");
  const vector = (buffer, i) => new Vector3(...buffer.subarray(4 * i, 4 * i + 3));
  const all = [];
  const axial = new Map(), axialLoops = new Map();  // N, positive in tension
  robot.loops.forEach((loop, i) => {
    const force = vector(loops, i), at = new Vector3(...ends.subarray(6 * i + 3, 6 * i + 6));
    if (loop.type === "distance") axialLoops.set(i, force.dot(new Vector3(...ends.subarray(6 * i, 6 * i + 3)).sub(at).normalize()));
    all.push({ name: loop.name, what: "loop", unique: loops[4 * i + 3] === 1, vector: force, at, axial: axialLoops.get(i) });
  });
  robot.bodies.forEach((body) => {
    const force = vector(joints, body.index), place = new Matrix4().fromArray(matrixOf(poses, body.index));
    const at = new Vector3().setFromMatrixPosition(place);
    const bearing = { name: body.joint, what: "bearing", unique: joints[4 * body.index + 3] === 1, vector: force, at };
    all.push(bearing);
    const end = robot.rodEnd(body.index);
    if (end && force.length() > 0) {
      const way = at.clone().sub(new Vector3(...end).applyMatrix4(place)).normalize();
      if (Math.abs(force.dot(way)) > 0.9 * force.length()) axial.set(body.index, bearing.axial = force.dot(way));
    }
  });
  const largest = Math.max(...all.map((each) => each.vector.length()), 1e-12);
  const scale = 0.2 * app.picture.size / largest;
  const arrows = all.filter((each) => each.vector.length() > 0.01 * largest)
    .map((each) => ({ at: each.at, vector: each.vector.clone().multiplyScalar(scale) }));
  app.bodies.showForces({ arrows, axial, axialLoops });
  table(app, all);
}

/** Without rounding of what is zero. */
const number = (x) => short(Math.abs(x) < 1e-9 ? 0 : x);

function table(app, all) {
  const { robot, engine } = app, motors = engine.buffer("motors"), figures = engine.figures();
  const row = (name, value, note) => make("tr", {}, make("td", { textContent: name }), make("td", { className: "number", textContent: value }), make("td", { textContent: note }));
  const rows = [make("tr", {}, make("td", {}, make("b", { textContent: "Motors" })))];
  if (figures.motorStatus !== 0) rows.push(row(STATUS[figures.motorStatus] ?? "unknown", "", ""));
  robot.motors.forEach((motor, i) => {
    const body = robot.bodies[motor.body];
    if (Number.isFinite(motors[i])) rows.push(row(body.joint, number(motors[i]), body.freedoms[motor.component] === "slide" ? "N" : "N·m"));
  });
  if (figures.undriven > 0) rows.push(row(`${plural(figures.undriven, "freedom")} without a motor`, "", ""));
  if (figures.redundant > 0) rows.push(row(`${plural(figures.redundant, "redundant motor")}`, "", ""));
  for (const what of ["loop", "bearing"]) {
    rows.push(make("tr", {}, make("td", {}, make("b", { textContent: what === "loop" ? "Loops" : "Bearings" }))));
    for (const each of all.filter((e) => e.what === what)) {
      const sign = each.axial === undefined ? "" : each.axial >= 0 ? "tension" : "compression";
      rows.push(row(each.name, number(each.vector.length()), `N ${sign}${each.unique ? "" : " not determined by statics alone"}`));
    }
  }
  byId("force-list").replaceChildren(make("table", {}, ...rows));
}
