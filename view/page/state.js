// The configuration, camera, modes and selection in the fragment of the address: q as single precision in base64url.

function encode(numbers) {
  const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function decode(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return Array.from(new Float32Array(bytes.buffer, 0, bytes.length >> 2));
}

const letters = (bytes) => btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), "")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** Longest robot in a link: browsers and mail programs cut longer ones. */
const LONGEST = 30000;

/** A robot that was opened on the page as letters for its address; null if it is too long or has meshes. */
async function packed({ files, main, options }) {
  const texts = files.map(({ path, text, bytes }) => ({ path, text: text ?? new TextDecoder().decode(bytes) }));
  if (files.some(({ path }) => /\.(stl|obj|dae|glb)$/i.test(path))) return null;
  const code = letters(await through(new TextEncoder().encode(JSON.stringify({ files: texts, main, options })), new CompressionStream("deflate-raw")));
  return code.length <= LONGEST ? code : null;
}
/** The robot in an address, as {files, main, options}; null without one. */
export async function robotIn(hash) {
  const code = new URLSearchParams(hash.slice(1)).get("r");
  if (!code) return null;
  return JSON.parse(new TextDecoder().decode(await through(bytesOf(code), new DecompressionStream("deflate-raw"))));
}
/** The fragment of a link to what is shown, and who can open it. */
export async function linkTo(app) {
  const code = app.source ? await packed(app.source) : null, fragment = writeState(app) + (code ? `&r=${code}` : "");
  const notes = [];
  if (app.source && !code) notes.push("It lacks the robot, which is too large for a link or has meshes: open that first.");
  if (location.protocol === "file:") notes.push("This page is a file: send it along, the link alone opens on this machine only.");
  return { fragment, note: notes.join(" ") };
}

export function writeState(app) {
  const { picture, engine } = app;
  const fields = new URLSearchParams({ q: encode(engine.q()), c: encode([...picture.camera.position, ...picture.controls.target]) });
  fields.set("m", Object.entries(app.modes()).filter(([, { on }]) => on).map(([name]) => name).join("."));
  if (app.selected !== null) fields.set("s", app.robot.bodies[app.selected].name);
  return `#${fields}`;
}
/** Shows what the address says, if it is of this robot. */
export function readState(app, hash) {
  const fields = new URLSearchParams(hash.slice(1));
  try {
    const q = decode(fields.get("q") ?? "");
    const problem = fields.has("q") ? app.engine.set(q) : null;
    if (problem) app.report(`The configuration of the address cannot be shown: ${problem}`);
    const camera = decode(fields.get("c") ?? "");
    if (camera.length === 6 && camera.every(Number.isFinite)) {
      app.picture.camera.position.set(...camera.slice(0, 3));
      app.picture.controls.target.set(...camera.slice(3));
      app.picture.controls.update();
    }
  } catch {
    app.report("The address holds no configuration of this robot: its letters cannot be read");
  }
  if (fields.has("m")) {
    const wanted = fields.get("m").split(".");
    for (const [name, { on, toggle }] of Object.entries(app.modes())) if (on !== wanted.includes(name)) toggle();
  }
  const selected = app.robot.indexOfLink.get(fields.get("s"));
  if (selected !== undefined) app.select(selected);
}
