// What the picture shows of the model besides its bodies: axes, frames, centres of mass, boxes of inertia, and contacts.
import { BoxGeometry, BufferGeometry, CylinderGeometry, EdgesGeometry, Float32BufferAttribute, Group, InstancedMesh, LineBasicMaterial, LineSegments,
  Matrix3, Matrix4, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { matrixOf } from "./bodies.js";

const X = "#d1332e", Y = "#2e9d5b", Z = "#2f6fdb", AXIS = "#b8860b", MASS = "#d55e00", INERTIA = "#7a68b3", CONTACT = "#009e73";
const UP = new Vector3(0, 0, 1);

/** Three lines of a length along the axes, red, green and blue. */
function triad(length) {
  const group = new Group();
  [X, Y, Z].forEach((color, i) => {
    const end = [0, 0, 0];
    end[i] = length;
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute([0, 0, 0, ...end], 3));
    group.add(new LineSegments(geometry, new LineBasicMaterial({ color, depthTest: false, transparent: true })));
  });
  return group;
}

/** Eigenvalues and eigenvectors of a symmetric matrix [xx, yy, zz, xy, xz, yz] by Jacobi's rotations. */
export function principal([xx, yy, zz, xy, xz, yz]) {
  const a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 12; ++sweep)
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(a[p][q]) < 1e-15 * (Math.abs(a[p][p]) + Math.abs(a[q][q]))) continue;
      const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]), c = Math.cos(angle), s = Math.sin(angle);
      for (let k = 0; k < 3; ++k) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; ++k) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; ++k) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  return { moments: [a[0][0], a[1][1], a[2][2]], axes: v };
}
/** Edges of the uniform box with the mass and inertia of a body; null for a body without. */
export function boxOf({ mass, inertia }) {
  const { moments: [x, y, z], axes: v } = principal(inertia);
  const sides = [y + z - x, x + z - y, x + y - z].map((sum) => Math.sqrt(Math.max(0, 6 * sum / mass)));
  return mass > 0 && sides.some((side) => side > 1e-6) ? { sides, axes: v } : null;
}
function inertiaBox(body) {
  const box = boxOf(body);
  if (!box) return null;
  const turn = new Matrix3().set(...box.axes.flat()), place = new Matrix4().setFromMatrix3(turn).setPosition(...body.com);
  const edges = new EdgesGeometry(new BoxGeometry(...box.sides.map((side) => Math.max(side, 1e-4))));
  return new LineSegments(edges.applyMatrix4(place), new LineBasicMaterial({ color: INERTIA, depthTest: false, transparent: true }));
}
function jointAxis({ axis, freedoms }, length, radius) {
  if (freedoms.length !== 1) return null;
  const turn = new Quaternion().setFromUnitVectors(UP, new Vector3(...axis).normalize());
  const geometry = new CylinderGeometry(radius, radius, length, 6).rotateX(Math.PI / 2).applyQuaternion(turn);
  return new Mesh(geometry, new MeshBasicMaterial({ color: AXIS, depthTest: false, transparent: true }));
}
function centre({ mass, com }, robot, size) {
  if (!(mass > 0)) return null;
  const geometry = new SphereGeometry(0.05 * size * Math.cbrt(mass / robot.info.mass), 12, 8).translate(...com);
  return new Mesh(geometry, new MeshBasicMaterial({ color: MASS, depthTest: false, transparent: true, opacity: 0.75 }));
}

export const LAYERS = ["world", "axes", "frames", "coms", "inertias", "contacts"];

export class Overlays {
  constructor(group, robot, picture, shown) {
    const { size } = picture;
    this.shown = shown;
    this.world = triad(0.15 * size);
    this.bodies = robot.bodies.map((body) => {
      const parts = { axes: jointAxis(body, 0.18 * size, 0.002 * size), frames: triad(0.06 * size), coms: centre(body, robot, size),
        inertias: inertiaBox(body) }, place = new Group();
      place.matrixAutoUpdate = false;
      for (const part of Object.values(parts)) if (part) place.add(part);
      group.add(place);
      return { place, parts };
    });
    this.contacts = new InstancedMesh(new SphereGeometry(0.008 * size, 10, 6), new MeshBasicMaterial({ color: CONTACT, depthTest: false, transparent: true }), 64);
    this.contacts.frustumCulled = false;
    group.add(this.world, this.contacts);
    group.traverse((object) => { if (object.material?.depthTest === false) object.renderOrder = 1; });
  }
  /** Moves all to the poses; `points`: position and force of each contact. */
  show(poses, points) {
    this.world.visible = this.shown.world;
    this.bodies.forEach(({ place, parts }, i) => {
      for (const [name, part] of Object.entries(parts)) if (part) part.visible = this.shown[name];
      place.matrix.fromArray(matrixOf(poses, i));
      place.matrixWorldNeedsUpdate = true;
    });
    const at = new Matrix4(), count = Math.min(points.length / 6, 64);
    for (let i = 0; i < count; ++i) this.contacts.setMatrixAt(i, at.makeTranslation(...points.subarray(6 * i, 6 * i + 3)));
    this.contacts.count = count;
    this.contacts.instanceMatrix.needsUpdate = true;
    this.contacts.visible = this.shown.contacts && count > 0;
  }
}
