// What a user does with the page: files and folders, drags, motors, forces, records, the address, and what is said if it fails.
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build, near, openPage, pageOf, robots } from "./browser.mjs";
import { browser, click, folder, give, on, pressed, q, text, tool } from "./setup.mjs";
import { Engine } from "../page/engine.js";

const choose = (page, id, value) => page.evaluate((name, x) => {
  const field = document.getElementById(name);
  field.value = x;
  field.dispatchEvent(new Event(field.type === "range" ? "input" : "change"));
}, id, value);
const waitFor = (page, id, pattern) => page.waitForFunction((name, source) => new RegExp(source, "s").test(document.getElementById(name).textContent),
  { timeout: 20000 }, id, pattern.source);
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const openText = (page, urdf) => page.evaluate((content) => window.grbda.open([{ path: "r.urdf", text: content }]), urdf);
/** The record that Save gives. */
const saved = (page) => page.evaluate(async () => {
  const blobs = [], make = URL.createObjectURL, press = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => { blobs.push(blob); return "blob:none"; };
  HTMLAnchorElement.prototype.click = () => {};
  document.getElementById("save").click();
  Object.assign(URL, { createObjectURL: make });
  HTMLAnchorElement.prototype.click = press;
  return blobs[0].text();
});

const inertial = (at = "0 0 0", mass = 1) =>
  `<inertial><origin xyz="${at}"/><mass value="${mass}"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>`;
const joint = (name, parent, child, at, axis, rest = 'type="continuous">') =>
  `<joint name="${name}" ${rest}<parent link="${parent}"/><child link="${child}"/><origin xyz="${at}"/><axis xyz="${axis}"/></joint>`;
/** A crank and a pendulum tied by a rod; the pendulum leans by 30° to one side. */
const hangs = (sign) => `<robot name="rod"><link name="base"/><link name="crank">${inertial("0 0 -0.5")}</link>
  <link name="pendulum">${inertial(`${sign * 0.25} 0 -0.4330127018922193`, 2)}</link>${joint("crank_joint", "base", "crank", "0 0 0", "0 1 0")}
  ${joint("pendulum_joint", "base", "pendulum", "1 0 0", "0 1 0")}<loop name="rod" type="distance"><predecessor link="crank"><origin xyz="0 0 -1"/></predecessor>
  <successor link="pendulum"><origin xyz="${sign * 0.5} 0 -0.8660254037844386"/></successor></loop></robot>`;

test("rods that are loops have the colour of their force, which balances the weight", () => on(null, {}, async (page) => {
  for (const [sign, colour, word] of [[1, "#d1332e", "compression"], [-1, "#2f6fdb", "tension"]]) {
    await openText(page, hangs(sign));
    if (!await pressed(page, "forces")) await click(page, "forces");
    const [x, z] = [1 + sign * 0.5, 1 - 0.8660254037844386], length = Math.hypot(x, z);
    const force = 0.25 * 2 * 9.81 / Math.abs(0.8660254037844386 * x / length + sign * 0.5 * z / length);
    assert.equal((await page.evaluate(() => window.grbda.loopColours())).rod, colour);
    assert.match(await text(page, "force-list"), new RegExp(`rod${Number(force.toPrecision(4))} N${word}`));
  }
  await click(page, "forces");
  assert.equal((await page.evaluate(() => window.grbda.loopColours())).rod, "#c4935a");
}));

test("sliders of motors move their joints by their reduction, and rotors turn as bodies", () => on(null, {}, async (page) => {
  const { files } = robots().find(({ name }) => name === "revolute_rotor_chain");
  const list = files.map((path) => ({ path: path.split("/").pop(), text: readFileSync(path, "utf8") }));
  await page.evaluate((each) => window.grbda.open(each, each.map(({ path }) => path), { rotors: true }), list);
  const motors = await page.evaluate(() => window.grbda.motors());
  await click(page, "motors");
  const shown = await page.evaluate(() => [...document.querySelectorAll(".joint")].filter((row) => row.style.display !== "none").length);
  assert.equal(shown, motors.length);
  const { joint: name, reduction } = motors[0], before = await q(page);
  await page.evaluate((x) => {
    const input = document.querySelector(".joint.motor input[type=range]");
    input.value = x;
    input.dispatchEvent(new Event("input"));
  }, 0.1 * reduction);
  const place = await page.evaluate((each) => window.grbda.info().bodies.findIndex((body) => body.joint === each), name);
  await page.waitForFunction((i, x) => Math.abs(window.grbda.q()[i] - x) < 1e-6, { timeout: 20000 }, place, 0.1);
  const turned = await q(page);
  assert.ok(turned.filter((x, i) => i !== place && Math.abs(x - before[i]) > 0.05).length >= 1, "no rotor turned");
}));

test("positions and efforts of motors are plotted", () => on("tello", {}, async (page) => {
  await page.evaluate(() => window.grbda.step(0.05));
  await page.evaluate(() => window.grbda.step(0.05));
  const options = await page.evaluate(() => [...document.getElementById("quantity").options].map(({ value, textContent }) => ({ value, textContent })));
  const position = options.find(({ textContent }) => /^motor of .*: position/.test(textContent));
  await choose(page, "quantity", position.value);
  const valuesOf = (name) => page.evaluate((wanted) => window.grbda.curves().find((curve) => curve.name === wanted).values, name);
  const [first, , last] = await valuesOf(position.textContent);
  assert.ok(first !== last);
  const effort = options.find(({ textContent }) => /: effort at rest$/.test(textContent));
  await choose(page, "quantity", effort.value);
  const efforts = await valuesOf(effort.textContent), index = Number(effort.value.split(" ")[1]);
  assert.equal(efforts.length, 3);
  await click(page, "forces");
  await page.evaluate(() => window.grbda.reset());
  near(efforts[0], (await page.evaluate(() => window.grbda.motors()))[index].effort, 1e-9);
}));

test("forces are those of the motion while it is simulated and replayed", () => on("delta", {}, async (page) => {
  await click(page, "hold");
  await click(page, "forces");
  assert.match(await text(page, "numbers"), /Forces at rest/);
  const rest = await text(page, "force-list");
  await page.evaluate(() => window.grbda.step(0.1));
  assert.match(await text(page, "numbers"), /Forces in motion.*velocities/s);
  const falling = await text(page, "force-list");
  assert.notEqual(falling, rest);
  assert.ok((await page.evaluate(() => window.grbda.motors())).every(({ effort }) => Math.abs(effort) < 1e-9));
  await page.evaluate(() => window.grbda.step(0.1));
  await choose(page, "replay", 1);
  assert.match(await text(page, "numbers"), /Forces in motion/);
  assert.equal(await text(page, "force-list"), falling);
  await page.evaluate(() => window.grbda.reset());
  assert.match(await text(page, "numbers"), /Forces at rest/);
  assert.equal(await text(page, "force-list"), rest);
}));

test("each key has a button, and the address keeps modes", () => on("tello", {}, async (page) => {
  for (const key of ["m", "k", "c", "l"]) await page.keyboard.press(key);
  const modes = async (there) => Promise.all(["forces", "colours", "shapes", "loops"].map((id) => pressed(there, id)));
  assert.deepEqual(await modes(page), [true, true, true, false]);
  await choose(page, "view", "4");
  await click(page, "share");
  const again = await openPage(browser, pageOf("tello"), { hash: await page.evaluate(() => location.hash) });
  assert.deepEqual(await modes(again.page), [true, true, true, false]);
  await again.page.close();
  await click(page, "layers-button");
  await page.waitForSelector("#layers:popover-open");
  for (const id of ["loops", "shapes", "undo", "open-folder", "frame", "simulate", "step", "reset", "help", "ground", "hold", "follow", "contacts", "transparent",
    "world", "axes", "frames", "coms", "inertias"])
    assert.ok(await page.evaluate((name) => document.getElementById(name).offsetParent !== null, id), id);
}));

test("Undo takes the last drag back, after it too", () => on("kangaroo_leg", {}, async (page) => {
  const start = await q(page), link = await page.evaluate(() => window.grbda.info().bodies.at(-1).link);
  const { x, y } = await page.evaluate((name) => window.grbda.screen(name), link);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 20, { steps: 5 });
  await page.waitForFunction((at) => window.grbda.q().some((value, i) => Math.abs(value - at[i]) > 1e-3), {}, start);
  await page.mouse.up();
  await click(page, "undo");
  (await q(page)).forEach((value, i) => near(value, start[i], 1e-9));
}));

const slide = (name, parent, axis) => `<link name="${name}">${inertial()}<visual><geometry><sphere radius="0.2"/></geometry></visual></link>` +
  joint(`${name}_joint`, parent, name, "0 0 0", axis, 'type="prismatic"><limit lower="-1" upper="1" effort="1" velocity="1"/>');
test("the joint that stops a drag is named, a locked one too", () => on(null, {}, async (page) => {
  await openText(page, `<robot name="crane"><link name="base"/>${slide("other", "base", "1 0 0")}${slide("x", "base", "0 1 0")}${slide("z", "x", "0 0 1")}</robot>`);
  await page.evaluate(() => { window.grbda.set("other_joint", 1); window.grbda.set("z_joint", 0.5); });
  await page.evaluate(() => document.querySelectorAll(".joint .lock")[1].click());
  await click(page, "frame");
  const { x, y } = await page.evaluate(() => window.grbda.screen("z"));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 5 });
  await waitFor(page, "message", /short of the pointer/);
  assert.match(await text(page, "message"), /^z is .* short of the pointer \(.*locked: x_joint\)$/);
  await page.mouse.move(x, y - 400, { steps: 5 });
  await waitFor(page, "message", /at a limit: z_joint/);
  assert.doesNotMatch(await text(page, "message"), /other_joint/);
  await page.mouse.up();
}));

test("rows that cannot be shown are findings, and the configuration before stays", () => on("four_bar", {}, async (page) => {
  const names = await page.evaluate(() => window.grbda.info().bodies.map((body) => `q:${body.joint}`));
  const start = await q(page);
  await give(page, file("broken.csv", [`time,${names.join(",")}`, `0,${start.join(",")}`, `1,${start.map(() => "nan").join(",")}`, ""].join("\n")));
  await page.waitForFunction(() => document.getElementById("replay").max === "1");
  await choose(page, "replay", 1);
  assert.match(await text(page, "list"), /error: Row 2 of the record cannot be shown: its numbers are not finite/);
  assert.deepEqual(await q(page), start);
  const csv = await saved(page);
  assert.equal(csv.trim().split("\n").length, 2);
  assert.doesNotMatch(csv, /NaN/);
  assert.match(await text(page, "list"), /1 rows? that cannot be shown/);
}));

test("files that are no record, and addresses without a robot, are findings", async () => {
  await on("four_bar", {}, async (page) => {
    for (const [name, content, reason] of [["a.json", '{"name": 1}', /a.json is no record: it has no columns/], ["b.json", "{", /b.json is no record/],
      ["c.csv", "time,q:a\n1\n", /c.csv is no record: row 1 has 1 numbers/], ["d.csv", "time,q:a\n1,2\n", /The record has no column q:/]]) {
      await give(page, file(name, content));
      await waitFor(page, "list", reason);
    }
  });
  await on(null, { hash: "#q=AAAA" }, async (page) => {
    assert.match(await text(page, "list"), /no robot is open/);
    await give(page, file("e.csv", "time,q:a\n1,2\n"));
    await waitFor(page, "list", /e.csv: open the robot before its record/);
  });
  await on(null, { hash: "#r=AAAA" }, async (page) => assert.match(await text(page, "list"), /robot in the address cannot be read/));
  await on("four_bar", { hash: "#q=AAAAAA" }, async (page) => {
    assert.match(await text(page, "list"), /address cannot be shown: it has 1 numbers, the robot has/);
  });
});

test("a simulation does not start at a singular configuration, and ends when another is restored", () => on("four_bar", {}, async (page) => {
  const names = await page.evaluate(() => window.grbda.info().bodies.map((body) => `q:${body.joint}`)), start = await q(page);
  await click(page, "share");
  await give(page, file("flat.csv", `time,${names.join(",")}\n0,${Math.PI},0,0\n`.replace("0,0\n", `${names.length === 3 ? `${-Math.PI},${Math.PI}` : "0,0"}\n`)));
  await page.waitForFunction(() => Math.abs(window.grbda.q()[0] - Math.PI) < 1e-6);
  const glow = await page.evaluate(() => ({ bars: [...document.querySelectorAll(".bar")].map((bar) => bar.className), colour: window.grbda.glow(window.grbda.info().bodies[1].link) }));
  assert.ok(glow.bars.includes("bar red"), glow.bars.join());
  assert.equal(glow.colour, "#8a1010");
  await click(page, "simulate");
  assert.match(await text(page, "message"), /cannot start here: singular configuration/);
  assert.match(await text(page, "simulate"), /Simulate/);
  await page.evaluate(() => window.grbda.reset());
  await click(page, "simulate");
  await page.waitForFunction(() => Number(document.getElementById("replay").max) > 5);
  await page.keyboard.press("Escape");
  const frames = await page.evaluate(() => Number(document.getElementById("replay").max));
  await page.waitForFunction((before) => Number(document.getElementById("replay").max) > before, {}, frames);
  await page.evaluate(() => { const { hash } = location; location.hash = ""; location.hash = hash; });
  await page.waitForFunction(() => /Simulate/.test(document.getElementById("simulate").textContent));
  (await q(page)).forEach((value, i) => near(value, start[i], 1e-6));
}));

test("own coordinates at a dead centre glow amber", () => on(null, {}, async (page) => {
  // a slider drives a crank by a rod: where both are in line the slider does not determine the crank
  await openText(page, `<robot name="piston"><link name="base"/><link name="crank">${inertial("0 0 0.1")}</link><link name="slider">${inertial()}</link>` +
    joint("crank_joint", "base", "crank", "0 0 0", "0 1 0", 'type="continuous" independent="false">') +
    joint("slider_joint", "base", "slider", "0.3 0 0", "1 0 0", 'type="prismatic" independent="true"><limit lower="-1" upper="1" effort="1" velocity="1"/>') +
    `<loop name="rod" type="distance"><predecessor link="crank"><origin xyz="0 0 0.1"/></predecessor><successor link="slider"/></loop></robot>`);
  const look = () => page.evaluate(() => ({ bar: document.querySelector("#tree .bar").className, colour: window.grbda.glow("crank") }));
  assert.deepEqual(await look(), { bar: "bar ", colour: "#000000" });
  await page.evaluate((angle) => window.grbda.set("crank_joint", angle), Math.PI / 2);
  assert.deepEqual(await look(), { bar: "bar amber", colour: "#6b4a00" });
}));

test("names with commas, quotes and brackets survive a record and the address", () => on(null, {}, async (page) => {
  const ball = 'type="spherical">', hard = 'a, &quot;b&quot;[0]';
  await openText(page, `<robot name="names"><link name="base"/><link name="one[0]">${inertial("0 0 -1")}</link><link name="${hard}">${inertial("1 0 0")}</link>` +
    `<link name="three">${inertial("0.5 0 0")}</link>${joint("a[0]", "base", "one[0]", "0 0 0", "0 1 0")}${joint("a", "base", "three", "1 0 0", "1 0 0", ball)}` +
    `${joint(hard, "one[0]", hard, "0 0 -1", "0 1 0")}</robot>`);
  assert.equal(await text(page, "message"), "");
  for (let i = 0; i < 3; ++i) await page.evaluate(() => window.grbda.step(0.1));
  const end = await q(page), csv = await saved(page);
  assert.match(csv.split("\n")[0], /"q:a, ""b""\[0\]"/);
  await page.evaluate(() => window.grbda.reset());
  await give(page, file("names.csv", csv.replaceAll("\n", "\r\n")));
  await page.waitForFunction(() => document.getElementById("record").options.length === 2 && document.getElementById("replay").max === "3");
  await choose(page, "replay", 3);
  (await q(page)).forEach((value, i) => near(value, end[i], 1e-9));
  await page.evaluate(() => window.grbda.explain("a[0]", 'a, "b"[0]'));
  await click(page, "share");
  assert.equal(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("s")), "one[0]");
}));

test("a folder that is dropped or opened is read with its meshes", () => on(null, {}, async (page) => {
  const robot = join(folder, "arm");
  mkdirSync(join(robot, "meshes"), { recursive: true });
  writeFileSync(join(robot, "meshes/a.obj"), "v 0 0 0\nv 2 0 0\nv 0 3 0\nf 1 2 3\n");
  writeFileSync(join(robot, "arm.urdf"), `<robot name="arm"><link name="base"/><link name="arm">${inertial()}<visual><geometry>` +
    `<mesh filename="package://arm/meshes/a.obj"/></geometry></visual></link>${joint("turn", "base", "arm", "0 0 0", "0 0 1")}</robot>`);
  const files = ["arm.urdf", "meshes/a.obj"].map((path) => ({ path, content: readFileSync(join(robot, path), "utf8") }));
  await page.evaluate((list) => {  // a folder as browsers give it: entries, of which each call of a reader gives some
    const fileEntry = (name, content) => ({ isFile: true, name, file: (found) => found(new File([content], name)) });
    const folderEntry = (name, children) => ({ isFile: false, name, createReader: () => {
      const rest = [...children];
      return { readEntries: (found) => found(rest.splice(0, 1)) };
    } });
    const [urdf, mesh] = list.map(({ path, content }) => fileEntry(path.split("/").pop(), content));
    const event = new Event("drop", { cancelable: true });
    event.dataTransfer = { items: [{ webkitGetAsEntry: () => folderEntry("arm", [urdf, folderEntry("meshes", [mesh])]) }] };
    document.dispatchEvent(event);
  }, files);
  await waitFor(page, "title", /^arm$/);
  assert.equal((await page.evaluate(() => window.grbda.drawn("arm"))).triangles, 1);
  assert.equal(await text(page, "list"), "");
  await openText(page, hangs(1));
  const [chooser] = await Promise.all([page.waitForFileChooser(), page.click("#open-folder")]);
  await chooser.accept([robot]);
  await waitFor(page, "title", /^arm$/);
  assert.equal((await page.evaluate(() => window.grbda.drawn("arm"))).triangles, 1);
}));

test("a finger drags a body", () => on("delta", { width: 400, height: 800 }, async (page) => {
  const start = await q(page), link = await page.evaluate(() => window.grbda.info().bodies.at(-1).link);
  const { x, y } = await page.evaluate((name) => window.grbda.screen(name), link);
  await page.touchscreen.touchStart(x, y);
  for (let i = 1; i <= 6; ++i) await page.touchscreen.touchMove(x + 4 * i, y + 3 * i);
  await page.waitForFunction((at) => window.grbda.q().some((value, i) => Math.abs(value - at[i]) > 1e-3), { timeout: 20000 }, start);
  await page.touchscreen.touchEnd();
  assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
}));

test("a record of a robot whose rods have no coordinates is replayed and saved whole", async () => {
  const { files } = robots().find(({ name }) => name === "digit_leg"), record = join(folder, "rods.csv"), path = join(folder, "rods.html");
  writeFileSync(record, execFileSync(tool, ["simulate", ...files, "--duration", "0.06", "--every", "20"], { encoding: "utf8" }));
  execFileSync(tool, ["view", ...files, "--record", record, "-o", path, "--template", join(build, "template.html")]);
  const { page, problems } = await openPage(browser, path);
  const columns = readFileSync(record, "utf8").split("\n").find((line) => line.startsWith("time")).split(",").filter((name) => name.startsWith("q:"));
  assert.ok(columns.length < (await q(page)).length, "the rod has coordinates in the record");
  const frames = await page.evaluate(() => Number(document.getElementById("replay").max));
  assert.ok(frames >= 3);
  const first = await q(page);
  await choose(page, "replay", frames);
  assert.ok((await q(page)).some((value, i) => Math.abs(value - first[i]) > 1e-3), "nothing moved");
  assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
  const csv = await saved(page);
  assert.equal(csv.trim().split("\n").length, frames + 2);
  assert.doesNotMatch(csv, /NaN/);
  assert.deepEqual(problems, []);
  await page.close();
});

test("files of robots loaded before are removed from the engine", async () => {
  const factory = createRequire(import.meta.url)(join(build, "engine/view/grbda_engine.js"));
  const engine = new Engine(await factory({ wasmBinary: readFileSync(join(build, "engine/view/grbda_engine.wasm")) }));
  const before = engine.module.FS.readdir("/");
  for (const path of ["a/b/r.urdf", "r.urdf"]) assert.equal(engine.load([{ path, text: hangs(1) }], [path]).robot, "rod");
  assert.throws(() => engine.load([{ path: "x/r.urdf", text: "<robot" }], ["x/r.urdf"]));
  assert.deepEqual(engine.module.FS.readdir("/"), before);
});
