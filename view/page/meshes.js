// Meshes among the robot's files: STL and OBJ, as they are. A file matches by the end of its path, package:// and model:// too.
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";

const segments = (path) => path.replace(/^[a-z]+:\/\//i, "").split(/[/\\]+/).filter((part) => part && part !== "." && part !== "..");

/** The file whose path has the longest end in common with the mesh's; null if not even the name is the same. */
function fileOf(files, mesh) {
  const wanted = segments(mesh).reverse();
  let best = null, longest = 0;
  for (const file of files) {
    const parts = segments(file.path).reverse();
    let common = 0;
    while (common < wanted.length && wanted[common] === parts[common]) ++common;
    if (common > longest) [best, longest] = [file, common];
  }
  return best;
}

function parse(file) {
  const bytes = file.bytes ?? new TextEncoder().encode(file.text);
  if (/\.stl$/i.test(file.path)) return [new STLLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))];
  if (!/\.obj$/i.test(file.path)) return [];
  const list = [];
  new OBJLoader().parse(new TextDecoder().decode(bytes)).traverse((object) => { if (object.isMesh) list.push(object.geometry); });
  return list;
}

export class Meshes {
  constructor(files) {
    this.files = files;
    this.known = new Map();
  }
  /** Geometries of a mesh; none where it is missing, broken, or of another format. */
  of(mesh) {
    if (!this.known.has(mesh)) {
      const file = fileOf(this.files, mesh);
      let list = [];
      try {
        list = file ? parse(file) : [];
      } catch { /* it is listed as one that is not drawn */ }
      for (const geometry of list) if (!geometry.attributes.normal) geometry.computeVertexNormals();
      this.known.set(mesh, list.filter((geometry) => geometry.attributes.position?.count > 0));
    }
    return this.known.get(mesh);
  }
}
