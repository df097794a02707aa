// The engine as a class: the only file that sees addresses in its memory. Memory may grow in each call, so that typed arrays
// are made anew after it.

const DOUBLE = new Set(["q", "condition", "motors", "figures", "qd", "controls", "wrenches", "target"]);
const BUFFERS = ["q", "poses", "loopEnds", "condition", "loopForces", "jointForces", "motors", "figures", "qd", "controls", "wrenches",
  "stops", "target", "contactPoints"];
const FIGURES = ["residual", "gap", "time", "kinetic", "gravity", "elastic", "motorStatus", "undriven", "redundant", "contacts"];

export const STATUS = ["ok", "singular configuration", "inertia is singular", "loops do not close", "the loops end here",
  "numbers are not finite", "not defined", "motors cannot hold the robot", "the step is inaccurate"];
/** The outcome of a drag that has not ended after the iterations of one frame. */
export const ON_ITS_WAY = 4;
const OPEN = 5, INVALID = 6;  // outcomes of set()

/** @param {string} text base64 of a gzip file */
async function unpack(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);  // Uint8Array.from() takes 100 ms more
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Removes a folder of the engine's file system with all that is in it. */
function remove(FS, path) {
  if (!FS.analyzePath(path).exists) return;
  for (const name of FS.readdir(path)) {
    if (name === "." || name === "..") continue;
    const inner = `${path}/${name}`;
    if (FS.isDir(FS.stat(inner).mode)) remove(FS, inner);
    else FS.unlink(inner);
  }
  FS.rmdir(path);
}

export class Engine {
  /** Starts the engine from its packed WebAssembly. */
  static async start(packed, factory) {
    const wasmBinary = typeof packed === "string" ? await unpack(packed) : packed;
    return new Engine(await factory({ wasmBinary }));
  }
  constructor(module) {
    this.module = module;
  }

  /** Loads a robot from files, [{path, text or bytes}]; `main`: those that describe it. Returns the JSON, or throws it. */
  load(files, main, options = {}) {
    const { FS } = this.module, root = "/robot";
    remove(FS, root);
    FS.mkdir(root);
    for (const file of files) {
      const path = `${root}/${file.path}`;
      FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      FS.writeFile(path, file.text ?? file.bytes);
    }
    const bits = (options.spherical === false ? 0 : 1) | (options.floating ? 2 : 0) | (options.adjust ? 4 : 0) | (options.rotors ? 8 : 0) |
      (options.ratio === "predecessor/successor" ? 16 : 0) | (options.ratio === "successor/predecessor" ? 32 : 0);
    const paths = this.text(main.map((path) => `${root}/${path}`).join("\n")), folder = this.text(root);
    const failed = this.module._view_load(paths, folder, bits);
    this.module._free(paths);
    this.module._free(folder);
    remove(FS, root);
    const json = JSON.parse(this.module.UTF8ToString(this.module._view_json()).replaceAll(`${root}/`, ""));
    if (failed) throw json;
    return json;
  }

  /** The address of a copy of the text in the engine's memory. */
  text(text) {
    const size = this.module.lengthBytesUTF8(text) + 1, address = this.module._malloc(size);
    this.module.stringToUTF8(text, address, size);
    return address;
  }

  /** A buffer of the robot as a typed array, to be read before the next call. */
  buffer(name) {
    const layout = this.module._view_layout() >> 2, k = BUFFERS.indexOf(name);
    const heap = this.module.HEAPU32, address = heap[layout + 2 * k], length = heap[layout + 2 * k + 1];
    return DOUBLE.has(name) ? new Float64Array(heap.buffer, address, length) : new Float32Array(heap.buffer, address, length);
  }
  figures() {
    const values = this.buffer("figures");
    return Object.fromEntries(FIGURES.map((name, i) => [name, values[i]]));
  }
  q() { return Array.from(this.buffer("q")); }

  /** Shows a configuration; one that leaves the loops open is projected onto them. Returns null, or why the configuration
   *  before stays. */
  set(q) {
    const shown = this.buffer("q");
    if (q.length !== shown.length) return `it has ${q.length} numbers, the robot has ${shown.length}`;
    shown.set(q);
    const outcome = this.module._view_set();
    if (outcome === OPEN) return "no configuration near it closes the loops";
    if (outcome === INVALID) return "its numbers are not finite";
    return outcome < 0 ? "the engine failed" : null;
  }
  /** A motion for forces(true): velocities of all joints, forces of motors, wrenches of contacts; null: none. */
  setMotion({ qd, tau, wrenches }) {
    this.buffer("qd").set(qd);
    for (const [name, values] of [["controls", tau], ["wrenches", wrenches]])
      if (values) this.buffer(name).set(values);
      else this.buffer(name).fill(0);
  }
  move(v, delta) { return this.module._view_move(v, delta); }
  drag(body, point, target, turn, iterations = 10) {
    return this.module._view_drag(body, ...point, ...target, turn ? 1 : 0, iterations);
  }
  lock(body, on) { this.module._view_lock(body, on ? 1 : 0); }
  reset() { this.module._view_reset(); }
  forces(moving) { return this.module._view_forces(moving ? 1 : 0); }
  /** Whether simulations hold the pose from which they start; one that runs holds that shown. */
  hold(on) { return this.module._view_hold(on ? 1 : 0); }
  start(step, ground) { return this.module._view_start(step, ground === null ? 0 : 1, ground ?? 0); }
  step(seconds, budget, spring) {
    const { body, point, target } = spring ?? { body: -2, point: [0, 0, 0], target: [0, 0, 0] };
    return this.module._view_step(seconds, budget, body, ...point, ...target);
  }
  stop() { this.module._view_stop(); }
}
