// The configuration, camera, modes and selection in the fragment of the address: q as single precision in base64url.

function encode(numbers) {
  const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function decode(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  return Array.from(new Float32Array(bytes.buffer, 0, bytes.length >> 2));
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
