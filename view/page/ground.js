// The ground of the simulation: a plane below the lowest collision shape, and which links touch it.
import { Matrix4, Vector3 } from "three";
import { matrixOf } from "./bodies.js";
import { shapesOf } from "./shapes.js";

const NAMED = 4;  // links that the note lists

/** Collision shapes of each body of a robot, or null. Computed once. */
function collisionShapes(robot) {
  robot.collisionShapes ??= robot.bodies.map((body) => shapesOf(robot, body.name, true, () => 12)?.geometry ?? null);
  return robot.collisionShapes;
}

/** Height of the ground at the pose shown, and a note if a floating base, or a body of a robot without one, falls through it. */
export function groundBelow({ robot, engine, picture }) {
  const poses = engine.buffer("poses"), shapes = collisionShapes(robot), point = new Vector3();
  let height = Infinity;
  shapes.forEach((geometry, body) => {
    if (!geometry) return;
    const place = new Matrix4().fromArray(matrixOf(poses, body)), { position } = geometry.attributes;
    for (let i = 0; i < position.count; ++i) height = Math.min(height, point.fromBufferAttribute(position, i).applyMatrix4(place).z);
  });
  const links = robot.bodies.filter(({ index }) => shapes[index]).map(({ name }) => name);
  if (!links.length) return { height: picture.box.min.z - 0.02 * picture.size, note: "No link has a collision shape: the robot falls through the ground" };
  const held = robot.bodies.some(({ index, floating_base }) => floating_base && shapes[index]) || robot.bodies.every(({ index, mass }) => shapes[index] || mass === 0);
  const list = links.length > NAMED ? `${links.slice(0, NAMED).join(", ")} and ${links.length - NAMED} more` : links.join(", ");
  return { height, note: held ? "" : `Only ${list} ${links.length === 1 ? "touches" : "touch"} the ground: the other links have no collision shapes` };
}
