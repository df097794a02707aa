// Configuration, camera, selection and mode in the fragment of the address. q is in single precision, as base64url.

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
  const modes = app.modes.filter((mode) => mode.on()).map((mode) => mode.letter).join("");
  if (modes) fields.set("m", modes);
  return `#${fields}`;
}
/** Shows the state that the address holds, if it belongs to this robot. */
export function readState(app, hash) {
  const fields = new URLSearchParams(hash.slice(1));
  try {
    const q = decode(fields.get("q") ?? "");
    if (q.length && (q.length !== app.robot.info.nq || app.engine.set(q) !== 0)) app.say("The address holds no configuration of this robot");
    const camera = decode(fields.get("c") ?? "");
    if (camera.length === 6 && camera.every(Number.isFinite)) {
      app.picture.camera.position.set(...camera.slice(0, 3));
      app.picture.controls.target.set(...camera.slice(3));
      app.picture.controls.update();
    }
  } catch {
    app.say("The address holds no configuration of this robot");
  }
  const modes = fields.get("m") ?? "";
  for (const mode of app.modes) if (mode.on() !== modes.includes(mode.letter)) mode.toggle();
  const selected = app.robot.indexOfLink.get(fields.get("s"));
  if (selected !== undefined) app.select(selected);
}
