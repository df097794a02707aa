// Forces of loops, bearings and motors, at rest or in motion: arrows, colours of rods, a legend, and a table. Statics may determine
// some components of a force alone: in a planar linkage those in its plane. They are the force that is shown; the rest stands
// beside it.
import { Matrix4, Vector3 } from "three";
import { STATUS } from "./engine.js";
import { byId, make } from "./element.js";
import { matrixOf } from "./bodies.js";
import { rounded } from "./scale.js";
import { plural, short } from "./units.js";

const AT_REST = "The motors hold this pose, or the independent joints if no motors are named.";
const IN_MOTION = "Of this instant: from positions, velocities, contacts, the spring that drags, and the servos that hold the pose. " +
  "Stops at limits are left out.";
const LONGEST = 0.2;  // of the robot's size, an arrow
const TENSION = "#2f6fdb", COMPRESSION = "#d1332e", ARROW = "#d9a400", PALE = "#b9b29a";

/** Computes forces and shows them in picture and table. */
export function showForces(app) {
  const { engine } = app, { moving } = app.play, status = engine.forces(moving);
  byId("force-title").textContent = moving ? "Forces in motion" : "Forces at rest";
  byId("force-kind").textContent = moving ? IN_MOTION : AT_REST;
  byId("legend").hidden = status !== 0;
  if (status !== 0) {
    app.bodies.showForces(null);
    byId("force-list").replaceChildren(make("p", { textContent: `No forces: ${STATUS[status] ?? "failed"}.` }));
    return;
  }
  const { all, axial, axialLoops } = forcesOf(app);
  const largest = Math.max(...all.map(({ shown }) => shown.length()), 1e-12), scale = LONGEST * app.picture.size / rounded(largest);  // which stays while forces change a little
  const arrows = all.filter(({ shown }) => shown.length() > 0.01 * largest)
    .map(({ at, shown, unique }) => ({ at, vector: shown.clone().multiplyScalar(scale), known: unique > 0 }));
  app.bodies.showForces({ arrows, axial, axialLoops });
  legend(app, all, rounded(largest), axial.size + axialLoops.size > 0);
  table(app, all);
}
export function hideForces(app) {
  byId("legend").hidden = true;
  app.bodies?.showForces(null);
}

/** All forces, and those along rods, N, positive in tension, by bodies and by loops. */
export function forcesOf({ engine, robot }) {
  const loops = engine.buffer("loopForces"), joints = engine.buffer("jointForces");
  const poses = engine.buffer("poses"), ends = engine.buffer("loopEnds");
  const vector = (buffer, i) => new Vector3(...buffer.subarray(i, i + 3));
  const force = (buffer, i) => {
    const whole = vector(buffer, 7 * i), known = vector(buffer, 7 * i + 3), unique = buffer[7 * i + 6];
    return { unique, shown: unique > 0 ? known : whole, rest: whole.clone().sub(known).length() };
  };
  const all = [], axial = new Map(), axialLoops = new Map();
  robot.loops.forEach((loop, i) => {
    const at = vector(ends, 6 * i + 3), entry = { name: loop.name, what: "loop", at, ...force(loops, i) };
    if (loop.type === "distance") {
      entry.axial = vector(loops, 7 * i).dot(vector(ends, 6 * i).sub(at).normalize());
      axialLoops.set(i, entry.axial);
    }
    all.push(entry);
  });
  robot.bodies.forEach((body) => {
    const place = new Matrix4().fromArray(matrixOf(poses, body.index)), at = new Vector3().setFromMatrixPosition(place);
    const entry = { name: body.joint, what: body.floating_base ? "base" : "bearing", at, ...force(joints, body.index) };
    all.push(entry);
    const end = robot.rodEnd(body.index), whole = vector(joints, 7 * body.index);
    if (!end || !(whole.length() > 0)) return;
    const along = at.clone().sub(new Vector3(...end).applyMatrix4(place)).normalize();
    if (Math.abs(whole.dot(along)) > 0.9 * whole.length()) axial.set(body.index, entry.axial = whole.dot(along));
  });
  return { all, axial, axialLoops };
}

function legend(app, all, largest, rods) {
  const line = (colour, text) => make("div", {}, make("i", { style: { background: colour } }), text);
  const width = LONGEST * app.picture.size * app.picture.pixels();
  byId("legend").replaceChildren(line(ARROW, "force on the outer part"),
    ...(all.some(({ unique }) => unique === 0) ? [line(PALE, "not determined by statics")] : []),
    ...(rods ? [line(TENSION, "rod in tension"), line(COMPRESSION, "rod in compression")] : []),
    make("div", { textContent: `${short(largest)} N` }), make("div", { className: "bar", style: { width: `${Math.round(width)}px` } }));
}

/** Without rounding of what is zero. */
const number = (x) => short(Math.abs(x) < 1e-9 ? 0 : x);
const row = (name, value, note = "") => make("tr", {}, make("td", { textContent: name }), make("td", { className: "number", textContent: value }),
  make("td", { className: "note", textContent: note }));
const head = (text) => make("tr", {}, make("th", { colSpan: 3, scope: "colgroup", textContent: text }));

/** Says how much of a force statics determines. */
function noteOf({ unique, rest, axial }, least) {
  const sign = axial === undefined ? "" : axial >= 0 ? "tension" : "compression";
  const part = unique === 3 ? "" : unique === 0 ? "not determined by statics: it depends on elasticity"
    : `${unique === 2 ? "in the plane" : "along one axis"}; ${rest > least ? `beside it ${number(rest)} N that statics does not determine` : "beside it statics determines nothing"}`;
  return [sign, part].filter(Boolean).join("; ");
}

function table(app, all) {
  const { robot, engine } = app, motors = engine.buffer("motors"), figures = engine.figures(), rows = [];
  const drives = robot.motors.map((motor, i) => ({ ...motor, force: motors[i], body: robot.bodies[motor.body] })).filter(({ body }) => !body.floating_base);
  rows.push(head("Motors"));
  if (figures.motorStatus !== 0) rows.push(row(robot.floats && !app.play.moving ? "a floating base, which motors do not hold" : STATUS[figures.motorStatus] ?? "unknown", ""));
  for (const { body, component, force } of drives)
    if (Number.isFinite(force)) rows.push(row(body.joint, `${number(force)} ${body.freedoms[component] === "slide" ? "N" : "N·m"}`));
  if (figures.undriven > 0) rows.push(row(`${plural(figures.undriven, "freedom")} without a motor`, ""));
  if (figures.redundant > 0) rows.push(row(`${plural(figures.redundant, "redundant motor")}`, ""));
  const least = 1e-6 * Math.max(...all.map(({ shown }) => shown.length()), 1e-12);
  for (const [what, title] of [["base", "Support of the floating base"], ["loop", "Loops"], ["bearing", "Bearings"]]) {
    const list = all.filter((each) => each.what === what);
    if (list.length) rows.push(head(title), ...list.map((each) => row(each.name, `${number(each.shown.length())} N`, noteOf(each, least))));
  }
  byId("force-list").replaceChildren(make("table", {}, ...rows));
}
