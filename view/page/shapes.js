// Geometry of bodies: the shapes of the file, or a skeleton of cylinders from a body's joint to the places where others take
// hold of it, with a disc about the axis of its joint. One mesh a body.
import { BoxGeometry, BufferAttribute, CapsuleGeometry, Color, CylinderGeometry, Matrix4, Quaternion, SphereGeometry, SRGBColorSpace,
  Vector3 } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

/** The colour of shapes that the file gives none. */
const PLAIN = [0.6, 0.64, 0.68];
const Z = new Vector3(0, 0, 1);
/** three.js puts the axis of cylinders along y, robots' files along z. */
const ALONG_Z = new Matrix4().makeRotationX(Math.PI / 2);

/** A mirrored mesh shows its other side: its triangles turn round. */
function scaled(geometry, a, b, c) {
  geometry.scale(a, b, c);
  if (a * b * c > 0) return geometry;
  const corners = geometry.index?.array ?? Array.from({ length: geometry.attributes.position.count }, (_, i) => i), turned = Array.from(corners);
  for (let i = 0; i + 2 < turned.length; i += 3) [turned[i], turned[i + 1]] = [turned[i + 1], turned[i]];
  geometry.setIndex(turned);
  return geometry;
}

function geometryOf(shape, meshes, cornersOf) {
  const [a, b, c] = shape.size, segments = cornersOf(a), rings = Math.round(segments * 2 / 3);
  switch (shape.kind) {
    case "sphere": return [new SphereGeometry(a, segments, rings)];
    case "capsule": return [new CapsuleGeometry(a, b, Math.round(rings / 2), segments).applyMatrix4(ALONG_Z)];
    case "cylinder": return [new CylinderGeometry(a, a, b, segments).applyMatrix4(ALONG_Z)];
    case "box": return [new BoxGeometry(a, b, c)];
    case "ellipsoid": return [new SphereGeometry(1, segments, rings).scale(a, b, c)];
    case "mesh": return meshes.of(shape.mesh).list.map((geometry) => scaled(geometry.clone(), a, b, c));
    default: return [];  // planes are ground
  }
}

/** One geometry of several, with positions, normals and colours alone. */
function merged(parts) {
  const plain = parts.every((part) => part.index) ? parts : parts.map((part) => (part.index ? part.toNonIndexed() : part));
  for (const part of plain)
    for (const name of Object.keys(part.attributes)) if (!["position", "normal", "color"].includes(name)) part.deleteAttribute(name);
  return mergeGeometries(plain);
}
function paint(geometry, [red, green, blue]) {
  const colour = new Color().setRGB(red, green, blue, SRGBColorSpace), { count } = geometry.attributes.position;
  const values = new Float32Array(3 * count);
  for (let i = 0; i < count; ++i) colour.toArray(values, 3 * i);
  return geometry.setAttribute("color", new BufferAttribute(values, 3));
}

/**
 * The shapes of a body, visual or for collision, as {geometry, coloured}: whether the file gives colours. Null without any.
 * `cornersOf`: number of corners that are drawn of a circle with a radius.
 */
export function shapesOf(robot, name, collision, cornersOf) {
  const parts = [];
  let coloured = false;
  for (const shape of robot.info.shapes) {
    if (shape.body !== name || !(collision ? shape.collision : shape.visual)) continue;
    const place = new Matrix4().compose(new Vector3(...shape.position), new Quaternion(...shape.orientation), new Vector3(1, 1, 1));
    for (const geometry of geometryOf(shape, robot.meshes, cornersOf)) {
      const own = geometry.attributes.color !== undefined;  // of the mesh's file
      coloured ||= own || shape.color !== undefined;
      geometry.applyMatrix4(place);
      parts.push(own && !shape.color ? geometry : paint(geometry, shape.color ?? PLAIN));
    }
  }
  return parts.length ? { geometry: merged(parts), coloured } : null;
}

function rod(from, to, radius) {
  const way = new Vector3(...to).sub(new Vector3(...from)), length = way.length();
  if (length < 1e-9) return null;
  const geometry = new CylinderGeometry(radius, radius, length, 10);
  geometry.applyMatrix4(ALONG_Z).translate(0, 0, length / 2);
  geometry.applyQuaternion(new Quaternion().setFromUnitVectors(Z, way.normalize()));
  return geometry.translate(...from);
}

/** The skeleton of a body; `radius` of its cylinders, in m. */
export function skeletonOf(robot, body, radius) {
  const parts = [], { axis, type, com } = robot.bodies[body];
  const ends = robot.endsOf(body);
  for (const end of ends) {
    const part = rod([0, 0, 0], end, radius);
    if (part) parts.push(part, new SphereGeometry(1.25 * radius, 10, 8).translate(...end));
  }
  if (!parts.length) {
    const part = rod([0, 0, 0], com, radius);
    if (part) parts.push(part, new SphereGeometry(1.6 * radius, 12, 8).translate(...com));
  }
  const turn = new Quaternion().setFromUnitVectors(Z, new Vector3(...axis).normalize());
  const hub = type === "spherical" || type === "floating" || type === "universal"
    ? new SphereGeometry(1.5 * radius, 12, 8)
    : new CylinderGeometry(1.9 * radius, 1.9 * radius, 2.6 * radius, 16).applyMatrix4(ALONG_Z).applyQuaternion(turn);
  parts.push(hub);
  return mergeGeometries(parts);
}

/** The skeleton of the world: rods from its origin to joints and ends of loops there. */
export function worldSkeleton(robot, radius) {
  const parts = robot.endsOf(-1).map((end) => rod([0, 0, 0], end, 0.6 * radius)).filter(Boolean);
  return parts.length ? mergeGeometries(parts) : null;
}
