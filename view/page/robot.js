// Describes a robot apart from its numbers: bodies in the order of q, their clusters and colours, and why bodies are in one
// cluster.

// Okabe and Ito's colours, which colour-blind readers tell apart.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#7a68b3"];

export class Robot {
  /** `meshes`: those among its files. */
  constructor(info, meshes) {
    this.meshes = meshes;
    this.info = info;
    this.name = info.robot;
    this.sizes = info.view.sizes;  // as `grbda info` reports them
    this.bodies = info.bodies.map((body, i) => ({ ...body, ...info.view.bodies[i], index: i, name: body.link }));
    this.floats = this.bodies.some((body) => body.floating_base);
    this.loops = info.view.loops;
    this.motors = info.view.motors;
    this.indexOfJoint = new Map(this.bodies.map((body) => [body.joint, body.index]));
    this.indexOfLink = new Map(this.bodies.map((body) => [body.name, body.index]));
    this.clusters = info.clusters;
    this.colourClusters();
    this.constraints = this.findConstraints();
  }

  /** Clusters of several joints get a colour each, single joints none. */
  colourClusters() {
    let next = 0;
    for (const cluster of this.clusters)
      cluster.colour = cluster.joints.length > 1 ? COLOURS[next++ % COLOURS.length] : null;
  }

  clusterOf(body) { return this.clusters[this.bodies[body].cluster]; }
  /** Number of the first coordinate in q̇. */
  velocity(body, component) { return this.bodies[body].qd_index + component; }
  /** The number in q that a slider shows; −1 for those of a quaternion, which follow the slides. */
  position(body, component) {
    const { freedoms, q_index } = this.bodies[body];
    return freedoms[component] === "rotation" ? -1 : q_index + component;
  }

  path(body) {
    const list = [];
    for (let i = body; i >= 0; i = this.bodies[i].parent) list.push(i);
    return list;
  }
  /** Loops and couplings with the joints that each ties together. */
  findConstraints() {
    const list = this.loops.map((loop, i) => {
      const a = this.path(loop.predecessor.body), b = this.path(loop.successor.body);
      const joints = [...a.filter((x) => !b.includes(x)), ...b.filter((x) => !a.includes(x))];
      return { name: loop.name, kind: `${loop.type} loop`, joints, loop: i };
    });
    for (const cluster of this.clusters)
      for (const coupling of cluster.couplings)
        list.push({ name: coupling.name, kind: "coupling", equation: coupling.equation,
          joints: coupling.terms.map((term) => this.indexOfJoint.get(term.joint)) });
    return list;
  }
  /** The shortest chain of constraints from the joint of one body to that of another; null without one. */
  chain(from, to) {
    const before = new Map([[from, null]]);
    for (let queue = [from]; queue.length; ) {
      const joint = queue.shift();
      if (joint === to) break;
      for (const constraint of this.constraints.filter((c) => c.joints.includes(joint)))
        for (const next of constraint.joints)
          if (!before.has(next)) {
            before.set(next, { joint, constraint });
            queue.push(next);
          }
    }
    if (!before.has(to)) return null;
    const chain = [];
    for (let at = before.get(to); at; at = before.get(at.joint)) chain.unshift(at.constraint);
    return chain;
  }

  /** A rod: a body between its joint and one other place, where a child or a loop takes hold of it. Null otherwise. */
  rodEnd(body) {
    const ends = this.endsOf(body);
    return ends.length === 1 && Math.hypot(...ends[0]) > 1e-6 ? ends[0] : null;
  }
  /** Places in a body where children and loops take hold of it. */
  endsOf(body) {
    const ends = this.bodies.filter((child) => child.parent === body && child.type !== "floating").map((child) => child.origin);
    for (const loop of this.loops)
      for (const end of [loop.predecessor, loop.successor]) if (end.body === body) ends.push(end.position);
    return ends;
  }
}
