// GLB files (glTF 2.0): triangles of the scene with the base colours of their materials. glTF's y axis points up, that of a robot's
// files is z. Textures are left out.
import { BufferAttribute, BufferGeometry, Color, Matrix4, Quaternion, Vector3 } from "three";

const MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BINARY_CHUNK = 0x004e4942, TRIANGLES = 4;
const ARRAYS = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const SIZES = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const SUPPORTED = new Set(["KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"]);
const UPRIGHT = new Matrix4().makeRotationX(Math.PI / 2);

function chunksOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), chunks = {};
  if (bytes.length < 20 || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== 2) throw new Error("it is no GLB file of version 2");
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at, true);
    chunks[view.getUint32(at + 4, true)] = bytes.subarray(at + 8, at + 8 + size);
    at += 8 + size;
  }
  return chunks;
}

class Reader {
  constructor(bytes) {
    const chunks = chunksOf(bytes);
    this.gltf = JSON.parse(new TextDecoder().decode(chunks[JSON_CHUNK]));
    this.binary = chunks[BINARY_CHUNK] ?? new Uint8Array();
    const missing = (this.gltf.extensionsRequired ?? []).filter((name) => !SUPPORTED.has(name));
    if (missing.length) throw new Error(`it needs ${missing.join(", ")}`);
  }

  /** The numbers of an accessor, one after another. */
  numbers(index) {
    const { bufferView, byteOffset = 0, componentType, count, type, normalized, sparse } = this.gltf.accessors[index];
    if (bufferView === undefined || sparse) throw new Error("it has sparse accessors");
    const { byteOffset: start = 0, byteStride } = this.gltf.bufferViews[bufferView], Type = ARRAYS[componentType], size = SIZES[type];
    const bytes = Type.BYTES_PER_ELEMENT, stride = byteStride ?? size * bytes, first = this.binary.byteOffset + start + byteOffset;
    const block = (at, length) => new Type(this.binary.buffer.slice(at, at + length * bytes));
    const scale = normalized ? 1 / (2 ** (8 * bytes - (componentType % 2 ? 0 : 1)) - 1) : 1;  // odd types have no sign
    if (stride === size * bytes) return scale === 1 ? block(first, count * size) : Float32Array.from(block(first, count * size), (x) => scale * x);
    const all = new Float64Array(count * size);
    for (let i = 0; i < count; ++i) all.set(block(first + i * stride, size), i * size);
    return all.map((x) => scale * x);
  }

  geometryOf({ attributes, indices, material, mode = TRIANGLES }) {
    if (mode !== TRIANGLES || attributes.POSITION === undefined) return null;
    const geometry = new BufferGeometry(), vector = (index) => new BufferAttribute(Float32Array.from(this.numbers(index)), 3);
    geometry.setAttribute("position", vector(attributes.POSITION));
    if (attributes.NORMAL !== undefined) geometry.setAttribute("normal", vector(attributes.NORMAL));
    if (indices !== undefined) geometry.setIndex(Array.from(this.numbers(indices)));
    const factor = this.gltf.materials?.[material]?.pbrMetallicRoughness?.baseColorFactor;
    return { geometry, colour: factor ? new Color(factor[0], factor[1], factor[2]) : null };  // linear, as three.js computes
  }

  /** Adds the meshes of a node and of those below it to a list. */
  collect(index, parent, list) {
    const node = this.gltf.nodes[index], place = new Matrix4();
    if (node.matrix) place.fromArray(node.matrix);
    else place.compose(new Vector3(...node.translation ?? [0, 0, 0]), new Quaternion(...node.rotation ?? [0, 0, 0, 1]),
      new Vector3(...node.scale ?? [1, 1, 1]));
    place.premultiply(parent);
    for (const primitive of this.gltf.meshes?.[node.mesh]?.primitives ?? []) {
      const part = this.geometryOf(primitive);
      if (part) list.push({ ...part, geometry: part.geometry.applyMatrix4(place) });
    }
    for (const child of node.children ?? []) this.collect(child, place, list);
    return list;
  }
}

/** Parts of a GLB file: {geometry, colour}, without a colour where its material has none. */
export function readGlb(bytes) {
  const reader = new Reader(bytes), { scenes = [], scene = 0 } = reader.gltf;
  return (scenes[scene]?.nodes ?? []).flatMap((node) => reader.collect(node, UPRIGHT, []));
}
