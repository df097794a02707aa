// The configuration, camera and selection in the fragment of the address: q as single precision in base64url.

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
  if (app.selected !== null) fields.set("s", app.robot.bodies[app.selected].name);
  return `#${fields}`;
}
/** Shows what the address says, if it is of this robot. */
export function readState(app, hash) {
  const fields = new URLSearchParams(hash.slice(1));
  try {
    const q = decode(fields.get("q") ?? "");
    if (q.length === app.robot.info.nq) app.engine.set(q);
    const camera = decode(fields.get("c") ?? "");
    if (camera.length === 6 && camera.every(Number.isFinite)) {
      app.picture.camera.position.set(...camera.slice(0, 3));
      app.picture.controls.target.set(...camera.slice(3));
      app.picture.controls.update();
    }
  } catch {
    app.say("The address holds no configuration of this robot");
  }
  const selected = app.robot.indexOfLink.get(fields.get("s"));
  if (selected !== undefined) app.select(selected);
}
