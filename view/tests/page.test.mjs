// The page in a browser, by values of the DOM and of window.grbda, its network log and its console.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { build, near, openPage, pageOf, robots } from "./browser.mjs";
import { browser, on } from "./setup.mjs";

/** Where a link's origin is on the screen. */
const screen = (page, link) => page.evaluate((name) => {
  const { x, y } = window.grbda.screen(name);
  return { x, y };
}, link);

for (const { name } of robots())
  test(`${name} loads, is drawn, and its loops are closed`, () => on(name, {}, async (page) => {
    const facts = await page.evaluate(() => ({ info: window.grbda.info(), residual: window.grbda.residual(),
      rows: document.querySelectorAll(".joint:not(.motor)").length, title: document.title, message: document.getElementById("message").textContent }));
    assert.equal(facts.title, `${facts.info.robot} – grbda`);
    assert.equal(facts.message, "");
    assert.equal(facts.rows, facts.info.nv_tree);
    assert.ok(facts.residual <= 1e-10);
  }));

const link = /^GRBDA_VIEW_LINK:STRING=(.*)$/m.exec(readFileSync(join(build, "engine/CMakeCache.txt"), "utf8"))[1];
test("pages have 1.6 MB at most, compressed", { skip: link === "-O1" && "the engine is linked without optimisation; view.sh --release" }, () => {
  for (const { name } of robots()) {
    const size = gzipSync(readFileSync(pageOf(name)), { level: 9 }).length;
    assert.ok(size <= 1.6e6, `${name}: ${size} bytes`);
  }
});

test("a slider moves its joint, and the loops follow", () => on("four_bar", {}, async (page) => {
  const joint = await page.evaluate(() => window.grbda.info().bodies[0].joint);
  for (let i = 1; i <= 8; ++i) {
    const at = await page.evaluate((name, x) => window.grbda.set(name, x), joint, 0.8 * i);
    near(at, 0.8 * i, 1e-6);
    assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
  }
  const moved = await page.evaluate(() => {
    const input = document.querySelectorAll(".joint input[type=range]")[0];
    input.value = 1;
    input.dispatchEvent(new Event("input"));
    return new Promise((resolve) => setTimeout(() => resolve(document.querySelector(".joint input[type=number]").value), 800));
  });
  near(parseFloat(moved), 57.3, 0.1 + 360);
}));

test("a body is dragged by the pointer, and Escape undoes it", () => on("kangaroo_leg", {}, async (page) => {
  const links = await page.evaluate(() => window.grbda.info().bodies.map((body) => body.link));
  const link = links.find((name) => /foot/.test(name)) ?? links[links.length - 1];
  const before = await page.evaluate(() => window.grbda.q());
  const { x, y } = await screen(page, link);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 20, { steps: 10 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const during = await page.evaluate(() => ({ q: window.grbda.q(), residual: window.grbda.residual() }));
  assert.ok(during.q.some((value, i) => Math.abs(value - before[i]) > 1e-3), "nothing moved");
  assert.ok(during.residual <= 1e-10);
  await page.keyboard.press("Escape");
  const after = await page.evaluate(() => window.grbda.q());
  after.forEach((value, i) => near(value, before[i], 1e-9));
  await page.mouse.up();
}));

test("out of reach the page says by how much", () => on("planar_leg_linkage", {}, async (page) => {
  const link = await page.evaluate(() => window.grbda.info().bodies[1].link);
  const gap = await page.evaluate((name) => window.grbda.drag(name, [5, 0, 0]), link);
  assert.ok(gap > 1);
  assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
}));

test("the simulation runs, is recorded, replayed and reset", () => on("slider_crank", {}, async (page) => {
  const start = await page.evaluate(() => window.grbda.q());
  near(await page.evaluate(() => window.grbda.step(0.2)), 0.2, 1e-9);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => Number(document.getElementById("replay").max) > 5);
  await page.keyboard.press("Space");
  const frames = await page.evaluate(() => Number(document.getElementById("replay").max));
  await page.evaluate(() => {
    const slider = document.getElementById("replay");
    slider.value = 0;
    slider.dispatchEvent(new Event("input"));
  });
  (await page.evaluate(() => window.grbda.q())).forEach((value, i) => near(value, start[i], 1e-9));
  assert.ok(frames > 5);
  assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
  await page.keyboard.press("r");
  assert.equal(await page.evaluate(() => document.getElementById("simulate").textContent), "Simulate");
}));

test("the address keeps the configuration", () => on("delta", {}, async (page) => {
  const link = await page.evaluate(() => window.grbda.info().bodies.at(-1).link);
  await page.evaluate((name) => {
    const [x, y, z] = window.grbda.position(name);
    window.grbda.drag(name, [x + 0.03, y, z + 0.02]);
    document.getElementById("share").click();
  }, link);
  const { hash, q } = await page.evaluate(() => ({ hash: location.hash, q: window.grbda.q() }));
  const again = await openPage(browser, pageOf("delta"), { hash });
  const there = await again.page.evaluate(() => window.grbda.q());
  await again.page.close();
  there.forEach((value, i) => near(value, q[i], 1e-6));
}));

test("forces are listed, and keys do not act in fields", () => on("delta", {}, async (page) => {
  await page.keyboard.press("m");
  const text = await page.evaluate(() => document.getElementById("force-list").textContent);
  assert.match(text, /Motors.*Loops.*Bearings/s);
  await page.focus("#filter");
  await page.keyboard.type("m ");
  assert.equal(await page.evaluate(() => document.getElementById("forces").getAttribute("aria-pressed")), "true");
}));

test("two bodies of one cluster are explained", () => on("kangaroo_leg", {}, async (page) => {
  const text = await page.evaluate(() => {
    const cluster = window.grbda.info().clusters.reduce((a, b) => (a.joints.length > b.joints.length ? a : b));
    window.grbda.explain(cluster.joints[0], cluster.joints.at(-1));
    return document.getElementById("cluster").textContent;
  });
  assert.match(text, /are in one cluster.*loop/s);
}));

test("a broken file shows its findings", () => on(null, {}, async (page) => {
  await page.evaluate(() => window.grbda.open([{ path: "a.urdf", text: "<robot name='a'><link name='b'/><joint name='j' type='revolute'/></robot>" }]));
  assert.match(await page.evaluate(() => document.getElementById("list").textContent), /error.*joint/s);
  assert.match(await page.evaluate(() => document.getElementById("message").textContent), /cannot be loaded/);
}));

/** A robot with one moving link, whose visual elements are given. */
function armOf(visuals) {
  const inertial = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  return `<robot name="a"><link name="base"/><link name="arm">${inertial}${visuals}</link>` +
    `<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>`;
}
const meshVisual = (name, scale = "1 1 1", more = "") =>
  `<visual><geometry><mesh filename="package://a/meshes/${name}" scale="${scale}"/></geometry>${more}</visual>`;
/** Shows the link with one mesh, and returns what it is drawn by. */
const drawn = (page, name, bytes, { scale, more } = {}) => page.evaluate((urdf, path, list) => {
  window.grbda.open([{ path: "a/a.urdf", text: urdf }, ...(list ? [{ path, bytes: Uint8Array.from(list) }] : [])], ["a/a.urdf"]);
  return { ...window.grbda.drawn("arm"), findings: document.getElementById("list").textContent, message: document.getElementById("message").textContent };
}, armOf(meshVisual(name, scale, more)), `a/meshes/${name}`, bytes ? [...Buffer.from(bytes)] : null);

// One triangle with legs of 2 m along x and 3 m along the second axis of the file.
const facet = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 2 0 0 vertex 0 3 0 endloop endfacet";
const collada = (up) => `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>
  <unit meter="0.001" name="mm"/><up_axis>${up}</up_axis></asset>
  <library_images><image id="i"><init_from>skin.png</init_from></image></library_images>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
  <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh><source id="p"><float_array id="f" count="9">0 0 0 2000 0 0 0 3000 0</float_array>
    <technique_common><accessor source="#f" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1" material="s"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>
    <instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#w"/></scene></COLLADA>`;
function glb(extensions = []) {
  const corners = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1.5, 0]).buffer), corner = Buffer.from(new Uint16Array([0, 1, 2, 0]).buffer);
  const json = JSON.stringify({ asset: { version: "2.0" }, extensionsRequired: extensions, scenes: [{ nodes: [0] }],
    nodes: [{ scale: [2, 2, 2], children: [1] }, { mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }], materials: [{ pbrMetallicRoughness: { baseColorFactor: [0, 1, 0, 1] } }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3" }, { bufferView: 1, componentType: 5123, count: 3, type: "SCALAR" }],
    bufferViews: [{ buffer: 0, byteLength: 36 }, { buffer: 0, byteOffset: 36, byteLength: 6 }], buffers: [{ byteLength: 44 }] });
  const text = Buffer.from(json.padEnd(4 * Math.ceil(json.length / 4))), binary = Buffer.concat([corners, corner]);
  const chunk = (type, data) => Buffer.concat([Buffer.from(new Uint32Array([data.length, type]).buffer), data]);
  const body = Buffer.concat([chunk(0x4e4f534a, text), chunk(0x004e4942, binary)]);
  return Buffer.concat([Buffer.from(new Uint32Array([0x46546c67, 2, 12 + body.length]).buffer), body]);
}

test("meshes are drawn in metres, with the axes and colours of their files", () => on(null, {}, async (page) => {
  const flat = { min: [0, 0, 0], max: [2, 3, 0] };
  for (const [name, bytes, box, colours] of [["a.stl", `solid a ${facet} endsolid a`, flat], ["a.obj", "v 0 0 0\nv 2 0 0\nv 0 3 0\nf 1 2 3\n", flat],
    ["a.dae", collada("Z_UP"), flat, "ff0000"], ["b.dae", collada("Y_UP"), flat, "ff0000"], ["a.glb", glb(), { min: [0, 0, 0], max: [2, 0, 3] }, "00ff00"]]) {
    const is = await drawn(page, name, bytes);
    assert.equal(is.message, "", name);
    assert.equal(is.triangles, 1, name);
    for (const side of ["min", "max"]) is[side].forEach((x, i) => near(x, box[side][i], 1e-6));
    if (colours) assert.deepEqual(is.colours, [colours], name);
    assert.equal(is.findings, "", name);
  }
  const red = "<material name='red'><color rgba='1 0 0 1'/></material>";
  assert.deepEqual((await drawn(page, "a.glb", glb(), { more: red })).colours, ["ff0000"]);
  near((await drawn(page, "a.stl", `solid a ${facet} endsolid a`, { scale: "1 -2 1" })).min[1], -6, 1e-6);
}));

test("meshes that are missing, broken or of another format are listed", () => on(null, {}, async (page) => {
  for (const [name, bytes, reason] of [["gone.stl", null, /gone.stl is not among the files/], ["a.ply", "ply", /a.ply has another format/],
    ["a.glb", "none", /a.glb cannot be read: it is no GLB file/], ["b.glb", glb(["KHR_draco_mesh_compression"]), /needs KHR_draco_mesh_compression/],
    ["a.obj", "v 0 0 0\n", /a.obj has no triangles/]]) {
    const is = await drawn(page, name, bytes);
    assert.equal(is.message, "");
    assert.match(is.findings, reason);
  }
}));

for (const dark of [false, true])
  test(`400 pixels wide, ${dark ? "dark" : "light"}: nothing is cut off`, () => on("delta", { width: 400, height: 800, dark }, async (page) => {
    const facts = await page.evaluate(() => ({ width: document.documentElement.scrollWidth, canvas: document.getElementById("canvas").clientHeight,
      small: [...document.querySelectorAll("button")].filter((b) => b.offsetParent && b.getBoundingClientRect().height < 32).length,
      back: getComputedStyle(document.body).backgroundColor }));
    assert.equal(facts.width, 400);
    assert.ok(facts.canvas > 250, `canvas ${facts.canvas}`);
    assert.equal(facts.small, 0);
    assert.equal(facts.back, dark ? "rgb(20, 23, 27)" : "rgb(244, 245, 247)");
  }));
