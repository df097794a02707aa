// Bodies, ends of loops and forces as objects of the picture.
import { BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, Float32BufferAttribute, Group, InstancedMesh, LineSegments,
  LineBasicMaterial, Matrix4, Mesh, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { Overlays } from "./overlays.js";
import { shapesOf, skeletonOf, worldSkeleton } from "./shapes.js";

const GREY = "#9aa3ad", LOOP = "#d1332e", ROD = "#c4935a", LIT = 0x1b4f86, RED = 0x8a1010, AMBER = 0x6b4a00, TENSION = "#2f6fdb", COMPRESSION = "#d1332e";
const UP = new Vector3(0, 0, 1);

export class Bodies {
  constructor(picture, robot, poses, loopEnds) {
    this.picture = picture;
    this.robot = robot;
    this.group = new Group();
    picture.scene.add(this.group);
    this.collision = false;
    this.showLoops = true;
    this.byCluster = this.transparent = false;
    this.layers = { world: true, axes: false, frames: false, coms: false, inertias: false, contacts: true };
    this.meshes = [];
    picture.fit(this.placesOf(poses, loopEnds));
    this.radius = 0.011 * picture.size;
    this.build();
    picture.fit(this.placesOf(poses, loopEnds));
  }
  remove() {
    this.clear();
    this.picture.scene.remove(this.group);
  }
  /** Removes all objects, and what the graphics card keeps of them. */
  clear() {
    this.group.traverse(({ geometry, material }) => {
      geometry?.dispose();
      material?.dispose();
    });
    this.group.clear();
  }

  /** Points between which everything lies that is drawn: joints, ends of loops, corners of shapes. */
  placesOf(poses, loopEnds) {
    const places = this.world ? [] : [new Vector3()];
    for (let i = 0; i < loopEnds.length; i += 3) places.push(new Vector3(...loopEnds.subarray(i, i + 3)));
    this.robot.bodies.forEach((body) => {
      const at = new Matrix4().fromArray(matrixOf(poses, body.index)), inside = this.robot.endsOf(body.index).map((end) => new Vector3(...end));
      const mesh = this.meshes[body.index];
      inside.push(new Vector3(), ...(mesh ? cornersOf(mesh) : [new Vector3(...body.com)]));
      places.push(...inside.map((point) => point.applyMatrix4(at)));
    });
    return this.world ? places.concat(cornersOf(this.world)) : places;
  }

  build() {
    this.clear();
    this.meshes = this.robot.bodies.map((body) => {
      const shapes = this.shapesOf(body.name);
      const mesh = new Mesh(shapes?.geometry ?? skeletonOf(this.robot, body.index, this.radius), new MeshLambertMaterial());
      mesh.matrixAutoUpdate = false;
      mesh.userData = { body: body.index, coloured: shapes?.coloured ?? false };
      this.group.add(mesh);
      return mesh;
    });
    this.buildWorld();
    this.colour();
    this.buildLoops();
    this.arrows = new Arrows(this.group, this.robot.loops.length + this.robot.bodies.length, this.radius);
    this.overlays = new Overlays(this.group, this.robot, this.picture, this.layers);
    this.picture.changed();
  }
  shapesOf(link) { return shapesOf(this.robot, link, this.collision, (radius) => this.picture.corners(radius)); }
  buildWorld() {
    const shapes = this.shapesOf(this.robot.info.root), bars = shapes ? null : worldSkeleton(this.robot, this.radius);
    this.world = null;
    if (!shapes && !bars) return;
    const look = shapes?.coloured ? { vertexColors: true } : { color: "#6b747d", side: DoubleSide };
    this.world = new Mesh(shapes?.geometry ?? bars, new MeshLambertMaterial(look));
    this.group.add(this.world);
  }
  /** Whether some body has colours of its own. */
  get coloured() { return this.meshes.some((mesh) => mesh.userData.coloured); }

  buildLoops() {
    const count = this.robot.loops.length, size = this.coloured ? 0.8 : 1.45;
    this.ends = new InstancedMesh(new SphereGeometry(size * this.radius, 9, 6), new MeshLambertMaterial({ color: LOOP }), Math.max(count, 1));
    this.ends.count = count;
    this.ends.frustumCulled = false;
    this.rods = this.robot.loops.map((loop) => {
      if (loop.type !== "distance") return null;
      const rod = new Mesh(new CylinderGeometry(0.5 * this.radius, 0.5 * this.radius, 1, 8).rotateX(Math.PI / 2),
        new MeshLambertMaterial({ color: ROD }));
      this.group.add(rod);
      return rod;
    });
    this.group.add(this.ends);
  }
  /** Colours bodies: by forces in rods if given, else by the colours of their file, or by clusters. */
  colour(axial = null) {
    this.meshes.forEach((mesh, i) => {
      const { material, userData } = mesh, own = userData.coloured && !this.byCluster && !axial, force = axial?.get(i);
      if (material.vertexColors !== own || material.transparent !== this.transparent)
        Object.assign(material, { vertexColors: own, transparent: this.transparent, opacity: this.transparent ? 0.35 : 1, depthWrite: !this.transparent, needsUpdate: true });
      const cluster = this.robot.clusterOf(i).colour ?? GREY;
      material.color.set(own ? "#ffffff" : !axial ? cluster : force === undefined ? GREY : force >= 0 ? TENSION : COMPRESSION);
    });
  }

  /** Moves all objects to the poses; `warnings` per cluster: 0 none, 1 amber, 2 red. */
  show(poses, loopEnds, warnings, contacts = []) {
    this.overlays.show(poses, contacts);
    this.meshes.forEach((mesh, i) => {
      mesh.matrix.fromArray(matrixOf(poses, i));
      mesh.matrixWorldNeedsUpdate = true;
      const warning = warnings[this.robot.bodies[i].cluster];
      mesh.material.emissive.setHex(this.lit?.has(i) ? LIT : warning === 2 ? RED : warning === 1 ? AMBER : 0);
    });
    const place = new Matrix4();
    this.robot.loops.forEach((loop, i) => {
      const P = new Vector3(...loopEnds.subarray(6 * i, 6 * i + 3)), Q = new Vector3(...loopEnds.subarray(6 * i + 3, 6 * i + 6));
      this.ends.setMatrixAt(i, place.makeTranslation(Q));
      const rod = this.rods[i];
      if (!rod) return;
      rod.position.copy(P).add(Q).multiplyScalar(0.5);
      rod.scale.set(1, 1, Math.max(P.distanceTo(Q), 1e-6));
      rod.quaternion.setFromUnitVectors(UP, Q.sub(P).normalize());
    });
    this.ends.instanceMatrix.needsUpdate = true;
    this.ends.visible = this.showLoops;
    this.picture.changed();
  }
  light(bodies) { this.lit = new Set(bodies); }

  /** Rods in the colour of their force, all else grey, and arrows. Without forces the other colours come back. */
  showForces(forces) {
    this.arrows.show(forces ? forces.arrows : []);
    this.colour(forces?.axial);
    this.rods.forEach((rod, i) => rod?.material.color.set(!forces ? ROD : forces.axialLoops.get(i) >= 0 ? TENSION : COMPRESSION));
    this.picture.changed();
  }

  /** Where a ray meets a body: {body, point}; null where it meets none. */
  pick(caster) {
    const hit = caster.intersectObjects(this.meshes, false)[0];
    return hit ? { body: hit.object.userData.body, point: hit.point } : null;
  }
  matrix(body) { return this.meshes[body].matrix; }
}

function cornersOf({ geometry }) {
  geometry.computeBoundingBox();
  const { min, max } = geometry.boundingBox;
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}

/** A pose of the engine, three axes and a position, as a matrix of three.js. */
export function matrixOf(poses, body) {
  const p = poses.subarray(12 * body, 12 * body + 12);
  return [p[0], p[1], p[2], 0, p[3], p[4], p[5], 0, p[6], p[7], p[8], 0, p[9], p[10], p[11], 1];
}

/** Colours of forces that statics determines, and of others. */
const KNOWN = new Color("#d9a400"), UNKNOWN = new Color("#b9b29a");

class Arrows {
  constructor(group, most, radius) {
    const shaft = new CylinderGeometry(0.45, 0.45, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1.1, 0.3, 10).rotateX(Math.PI / 2).translate(0, 0, 1);
    this.mesh = new InstancedMesh(mergeGeometries([shaft, head]), new MeshLambertMaterial(), Math.max(most, 1));
    this.mesh.count = 0;
    this.mesh.frustumCulled = false;
    this.radius = radius;
    group.add(this.mesh);
  }
  /** `known`: whether statics determines the force; others are pale. */
  show(arrows) {
    const place = new Matrix4();
    arrows.forEach(({ at, vector, known }, i) => {
      this.mesh.setColorAt(i, known ? KNOWN : UNKNOWN);
      const length = vector.length();
      place.compose(at, new Quaternion().setFromUnitVectors(UP, vector.clone().normalize()),
        new Vector3(this.radius, this.radius, length));
      this.mesh.setMatrixAt(i, place);
    });
    this.mesh.count = arrows.length;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** The line from the point grabbed to the pointer. */
export class Tether {
  constructor(picture) {
    this.geometry = new BufferGeometry();
    this.geometry.setAttribute("position", new Float32BufferAttribute(new Float32Array(6), 3));
    this.line = new LineSegments(this.geometry, new LineBasicMaterial({ color: "#d55e00", depthTest: false }));
    this.line.frustumCulled = false;
    this.line.visible = false;
    picture.scene.add(this.line);
  }
  show(from, to) {
    this.line.visible = from !== null;
    if (!from) return;
    this.geometry.attributes.position.array.set([...from, ...to]);
    this.geometry.attributes.position.needsUpdate = true;
  }
}
