// Meshes among the robot's files: STL, OBJ, Collada and GLB. A file matches by the end of its path, package:// and model:// too.
import { BufferAttribute } from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { readGlb } from "./glb.js";

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

/** Gives the vertices the colour of their material. */
function paint(geometry, colourOf) {
  const { index, attributes: { position } } = geometry, values = new Float32Array(3 * position.count);
  const groups = geometry.groups.length ? geometry.groups : [{ start: 0, count: index?.count ?? position.count, materialIndex: 0 }];
  for (const { start, count, materialIndex } of groups)
    for (let i = start; i < start + count; ++i) colourOf(materialIndex).toArray(values, 3 * (index ? index.getX(i) : i));
  return geometry.setAttribute("color", new BufferAttribute(values, 3));
}
/** Geometries below an object of three.js, placed in its frame; `colours`: whether its materials are from the file. */
function geometriesOf(root, colours) {
  const list = [];
  root.updateMatrixWorld(true);
  root.traverse((object) => {
    if (!object.isMesh) return;
    const geometry = object.geometry.clone().applyMatrix4(object.matrixWorld);
    geometry.deleteAttribute("color");
    list.push(colours ? paint(geometry, (k) => [object.material].flat()[k].color) : geometry);
  });
  return list;
}
/** Lengths become metres; the axes stay those of the file, whatever it calls up, as in other programs for robots. */
function collada(text) {
  const read = new ColladaLoader().parse(text.replace(/<library_images[^]*?<\/library_images>/g, ""), "");  // images would be requests
  if (!read) throw new Error("it is no Collada");
  read.scene.rotation.set(0, 0, 0);
  return geometriesOf(read.scene, true);
}
const READERS = {
  stl: (bytes) => [new STLLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)).deleteAttribute("color")],
  obj: (bytes) => geometriesOf(new OBJLoader().parse(new TextDecoder().decode(bytes)), false),
  dae: (bytes) => collada(new TextDecoder().decode(bytes)),
  glb: (bytes) => readGlb(bytes).map(({ geometry, colour }) => (colour ? paint(geometry, () => colour) : geometry)),
};

/** The geometries of a file and, if there are none, the reason. */
function read(file) {
  if (!file) return { list: [], problem: "is not among the files" };
  const reader = READERS[file.path.split(".").pop().toLowerCase()];
  if (!reader) return { list: [], problem: "has another format than STL, OBJ, Collada (.dae) and GLB" };
  try {
    const list = reader(file.bytes ?? new TextEncoder().encode(file.text)).filter((geometry) => geometry.attributes.position?.count > 0);
    for (const geometry of list) if (!geometry.attributes.normal) geometry.computeVertexNormals();
    return { list, problem: list.length ? null : "has no triangles" };
  } catch (error) {
    return { list: [], problem: `cannot be read: ${error.message}` };
  }
}

export class Meshes {
  constructor(files) {
    this.files = files;
    this.known = new Map();
  }
  /** A mesh as {list of geometries, problem}. */
  of(mesh) {
    if (!this.known.has(mesh)) this.known.set(mesh, read(fileOf(this.files, mesh)));
    return this.known.get(mesh);
  }
}
