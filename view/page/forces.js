// Forces in loops, bearings and motors, at rest or in the last step of the simulation: arrows, colours of rods, and a table.
import { Matrix4, Vector3 } from "three";
import { STATUS } from "./engine.js";
import { byId, make } from "./element.js";
import { matrixOf } from "./bodies.js";
import { short } from "./units.js";

/** Computes forces and shows them in picture and table. */
export function showForces(app) {
  const { engine, robot } = app;
  const status = engine.forces();
  byId("force-title").textContent = app.play.started ? "Forces in motion" : "Forces at rest";
  if (status !== 0) {
    app.bodies.showForces(null);
    app.joints.showEfforts(null);
    byId("force-list").replaceChildren(make("p", { textContent: `No forces: ${STATUS[status] ?? "failed"}.` }));
    return;
  }
  const loops = engine.buffer("loopForces"), joints = engine.buffer("jointForces");
  const poses = engine.buffer("poses"), ends = engine.buffer("loopEnds");
  const vector = (buffer, i) => new Vector3(...buffer.subarray(4 * i, 4 * i + 3));
  const all = [], axial = new Map(), tension = new Map();  // tension is positive
  robot.loops.forEach((loop, i) => {
    const [P, Q] = [0, 3].map((k) => new Vector3(...ends.subarray(6 * i + k, 6 * i + k + 3))), force = vector(loops, i);
    if (loop.type === "distance") tension.set(i, force.dot(P.sub(Q).normalize()));
    all.push({ name: loop.name, what: "loop", unique: loops[4 * i + 3] === 1, vector: force, at: Q, axial: tension.get(i) });
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
  app.bodies.showForces({ arrows, axial, tension });
  app.joints.showEfforts(engine.buffer("motors"));
  table(app, all);
}

function table(app, all) {
  const { robot, engine } = app, motors = engine.buffer("motors"), figures = engine.figures();
  const row = (name, value, note) => make("tr", {}, make("td", { textContent: name }), make("td", { className: "number", textContent: value }), make("td", { textContent: note }));
  const rows = [make("tr", {}, make("td", {}, make("b", { textContent: "Motors" })))];
  if (figures.motorStatus !== 0) rows.push(row(STATUS[figures.motorStatus] ?? "unknown", "", ""));
  robot.motors.forEach((motor, i) => {
    const body = robot.bodies[motor.body];
    if (Number.isFinite(motors[i])) rows.push(row(body.joint, short(motors[i]), body.freedoms[motor.component] === "slide" ? "N" : "N·m"));
  });
  if (figures.undriven > 0) rows.push(row(`${figures.undriven} freedoms that no motor drives`, "", ""));
  if (figures.redundant > 0) rows.push(row(`${figures.redundant} motors more than freedoms`, "", ""));
  for (const what of ["loop", "bearing"]) {
    rows.push(make("tr", {}, make("td", {}, make("b", { textContent: what === "loop" ? "Loops" : "Bearings" }))));
    for (const each of all.filter((e) => e.what === what)) {
      const sign = each.axial === undefined ? "" : each.axial >= 0 ? "tension" : "compression";
      rows.push(row(each.name, short(each.vector.length()), `N ${sign}${each.unique ? "" : " not determined by statics alone"}`));
    }
  }
  byId("force-list").replaceChildren(make("table", {}, ...rows));
}
