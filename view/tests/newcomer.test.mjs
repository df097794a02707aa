// What someone expects who opens the page for the first time: robots stand, records play, the empty page invites, numbers are those
// of `grbda info`, and everything can be read and reached.
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, near, openPage, pageOf, robots } from "./browser.mjs";
import { browser, click, folder, give, on, pressed, q, text, tool } from "./setup.mjs";
import { rounded, ticks } from "../page/scale.js";

const axe = readFileSync(createRequire(join(build, "npm/package.json")).resolve("axe-core/axe.min.js"), "utf8");
const WALKERS = ["digit", "mini_cheetah", "mit_humanoid", "tello"];
const wait = (page, work, ...rest) => page.waitForFunction(work, { timeout: 60000, polling: 50 }, ...rest);
const farthest = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

/** Positions of joints that servos hold. */
const jointsOf = (page) => page.evaluate(() => {
  const { bodies } = window.grbda.info(), all = window.grbda.q();
  return bodies.filter(({ type, independent_components: free }) => ["revolute", "prismatic", "continuous"].includes(type) && free.length).map(({ q_index: at }) => all[at]);
});

for (const name of WALKERS)
  test(`${name} stands on the ground and keeps its pose in a simulation of five seconds`, () => on(name, {}, async (page) => {
    const base = await page.evaluate(() => window.grbda.info().bodies[0].link), height = async () => (await page.evaluate((link) => window.grbda.position(link), base))[2];
    const start = await jointsOf(page), before = await height();
    for (const id of ["ground", "hold"]) assert.ok(await pressed(page, id), id);
    for (let i = 0; i < 10; ++i) await page.evaluate(() => window.grbda.step(0.5));
    assert.ok(farthest(await jointsOf(page), start) < 0.05, "the joints give way");
    near(await height(), before, 0.005);
    assert.match(await text(page, "status"), name === "mini_cheetah" ? /\b4 contacts/ : /\b8 contacts/);
    assert.equal(await text(page, "message"), "");
    if (name === "mini_cheetah") return;  // it stands on straight legs, without servos too
    await page.evaluate(() => window.grbda.reset());
    await click(page, "hold");
    await page.evaluate(() => window.grbda.step(0.5));
    assert.ok(farthest(await jointsOf(page), start) > 0.5, "nothing gives way without servos");
  }));

test("a note says so if only the feet touch the ground", () => on("cassie_like", {}, async (page) => {
  await click(page, "ground");
  await page.evaluate(() => window.grbda.step(0.01));
  assert.match(await text(page, "message"), /^Only .* touch(es)? the ground: the other links have no collision shapes$/);
}));

test("sliders are the targets of the servos while a simulation runs", () => on("ur10e", {}, async (page) => {
  await page.keyboard.press("Space");
  await wait(page, () => Number(document.getElementById("replay").max) > 2);
  await page.evaluate(() => {
    const input = document.querySelectorAll(".joint input[type=range]")[2];
    input.value = 0.4;
    input.dispatchEvent(new Event("input"));
  });
  await wait(page, () => Math.abs(window.grbda.q()[2] - 0.4) < 0.02);
  assert.match(await text(page, "status"), /^Simulating at/);
}));

test("the camera follows a floating base", () => on("mini_cheetah", {}, async (page) => {
  const link = await page.evaluate(() => window.grbda.info().bodies[0].link);
  const look = () => page.evaluate((name) => ({ base: window.grbda.position(name), ...window.grbda.camera() }), link);
  await click(page, "ground");
  const before = await look();
  await page.evaluate(() => window.grbda.step(0.5));
  const after = await look(), fall = before.base[2] - after.base[2];
  assert.ok(fall > 1);
  near(before.position[2] - after.position[2], fall, 1e-4);
  near(before.target[2] - after.target[2], fall, 1e-4);
  await click(page, "follow");
  await page.evaluate(() => window.grbda.step(0.1));
  near((await look()).position[2], after.position[2], 1e-9);
}));

/** A record of the crank of a robot that turns: rows at times. */
async function recordOf(page, times) {
  const columns = await page.evaluate(() => window.grbda.info().bodies.map((body) => `q:${body.joint}`)), rows = [];
  for (const time of times) {
    await page.evaluate((x) => window.grbda.set(window.grbda.info().bodies[0].joint, 1 + x), time);
    rows.push([time, ...await q(page)]);
  }
  const path = join(folder, "turn.csv");
  writeFileSync(path, `time,${columns.join(",")}\n${rows.map((row) => row.join(",")).join("\n")}\n`);
  return { path, rows };
}

test("a record is played, at a speed, again and again, and stays beside simulations", () => on("four_bar", {}, async (page) => {
  const { path, rows } = await recordOf(page, [0, 0.2, 0.4, 0.6, 0.8]);
  await give(page, path);
  await wait(page, () => document.getElementById("replay").max === "4");
  near((await q(page))[0], 1, 1e-9);
  await page.select("#speed", "4");
  await page.keyboard.press("Space");
  await wait(page, () => document.getElementById("play").textContent === "Play" && document.getElementById("replay").value === "4");
  assert.ok(farthest(await q(page), rows[4].slice(1)) < 1e-9);
  assert.equal(await text(page, "time"), "0.80 s");
  await click(page, "repeat");
  await click(page, "play");
  await page.evaluate(() => { window.backwards = 0; let last = 0; setInterval(() => { const now = Number(document.getElementById("replay").value); window.backwards += now < last ? 1 : 0; last = now; }, 5); });
  await wait(page, () => window.backwards >= 2);
  await click(page, "simulate");
  await wait(page, () => Number(document.getElementById("replay").max) > 5);
  await click(page, "simulate");
  const names = await page.evaluate(() => [...document.getElementById("record").options].map((option) => option.textContent));
  assert.deepEqual(names, ["turn.csv", "Simulation 1"]);
  await page.select("#record", "0");
  await wait(page, () => document.getElementById("replay").max === "4");
  assert.ok(farthest(await q(page), rows[0].slice(1)) < 1e-9);
}));

test("simulations that another robot replaces are named if they were not saved", () => on("four_bar", {}, async (page) => {
  await page.evaluate(() => { window.grbda.step(0.1); document.getElementById("sample").click(); });
  assert.match(await text(page, "message"), /1 simulation of four_bar was not saved/);
}));

test("the empty page invites, and its buttons act or are disabled", () => on(null, {}, async (page) => {
  const facts = await page.evaluate(() => ({ card: document.querySelector(".card").getBoundingClientRect().width, canvas: getComputedStyle(document.getElementById("canvas")).visibility,
    enabled: [...document.querySelectorAll("header button, header select")].filter((button) => button.offsetParent && !button.disabled).map((button) => button.id) }));
  assert.ok(facts.card > 200);
  assert.equal(facts.canvas, "hidden");
  assert.deepEqual(facts.enabled, ["open", "open-folder", "help"]);
  await page.click("#sample");
  assert.equal(await page.evaluate(() => window.grbda.info().robot), "stewart_platform");
  assert.equal(await page.evaluate(() => document.getElementById("simulate").disabled), false);
  assert.equal(await page.evaluate(() => document.getElementById("welcome").offsetParent), null);
}));

test("without WebGL a sentence says so", async () => {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(() => { HTMLCanvasElement.prototype.getContext = () => null; });
  await page.goto(`file://${pageOf("delta")}`);
  await wait(page, () => document.body.classList.contains("broken"));
  const card = await page.evaluate(() => document.querySelector(".card").innerText);
  assert.match(card, /The page cannot start\s+This browser offers no WebGL 2, which the picture needs/);
  assert.doesNotMatch(card, /Open files/);
  await page.close();
});

test("bodies, rods and freedoms are those of grbda info", async () => {
  for (const name of ["digit", "delta", "kangaroo_leg", "mini_cheetah"]) {
    const { files } = robots().find((robot) => robot.name === name), info = JSON.parse(execFileSync(tool, ["info", ...files, "--json"], { encoding: "utf8" }));
    const rods = info.rods?.length ?? 0;
    await on(name, {}, async (page) => assert.ok((await text(page, "summary")).startsWith(`${info.bodies.length} bodies${rods ? ` + ${rods} rods` : ""} · `) &&
      (await text(page, "summary")).endsWith(` · ${info.dof} dof`), await text(page, "summary")));
  }
});

test("in a planar linkage the force in its plane is shown, and the rest aside", () => on("slider_crank", {}, async (page) => {
  await page.keyboard.press("m");
  const loop = (await page.evaluate(() => window.grbda.forces())).find(({ what }) => what === "loop");
  assert.equal(loop.unique, 2);
  assert.ok(Math.hypot(...loop.force) > 1, "the loop carries nothing");
  near(loop.force[1], 0, 1e-6);
  assert.match(await text(page, "force-list"), /in the plane/);
  assert.match(await text(page, "legend"), /force on the outer part.*\d N/s);
}));

test("a floating base is no motor", () => on("mini_cheetah", {}, async (page) => {
  await page.keyboard.press("m");
  const list = await text(page, "force-list"), base = await page.evaluate(() => window.grbda.info().bodies[0].joint);
  assert.match(list, /Motors.*Support of the floating base.*Bearings/s);
  assert.ok(list.indexOf(base) > list.indexOf("Support"), list);
}));

test("each layer changes the picture", () => on("delta", {}, async (page) => {
  const look = async () => Buffer.from(await (await page.$("#canvas")).screenshot()).toString("base64");
  for (const id of ["transparent", "world", "axes", "frames", "coms", "inertias"]) {
    const before = await look();
    await click(page, id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.notEqual(await look(), before, id);
  }
}));

test("keys turn, zoom and shift the view", () => on("delta", {}, async (page) => {
  const arm = ({ position, target }) => position.map((x, i) => x - target[i]), length = (v) => Math.hypot(...v);
  const start = await page.evaluate(() => window.grbda.camera());
  await page.keyboard.down("Shift");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.up("Shift");
  const turned = await page.evaluate(() => window.grbda.camera());
  near(length(arm(turned)), length(arm(start)), 1e-6);
  assert.ok(farthest(arm(turned), arm(start)) > 0.01);
  near(arm(turned)[2], arm(start)[2], 1e-6);
  await page.keyboard.press("+");
  const closer = await page.evaluate(() => window.grbda.camera());
  near(length(arm(closer)), 0.9 * length(arm(start)), 1e-6);
  await page.keyboard.press("w");
  assert.ok((await page.evaluate(() => window.grbda.camera())).target[2] > closer.target[2]);
}));

test("a joint moves to the number in its field, and its slider says where it is", () => on("four_bar", {}, async (page) => {
  await page.evaluate(() => {
    const field = document.querySelector(".joint input[type=number]");
    field.value = "80";
    field.dispatchEvent(new Event("change"));
  });
  await wait(page, () => Math.abs(window.grbda.q()[0] - 80 * Math.PI / 180) < 1e-6);
  await wait(page, () => document.querySelector(".joint input[type=range]").getAttribute("aria-valuetext") === "80.0°");
}));

test("numbers put a floating base where they say", () => on("digit", {}, async (page) => {
  const base = await page.evaluate(() => window.grbda.info().bodies[0].link);
  await page.evaluate(() => {
    const field = document.querySelectorAll(".joint input[type=number]")[2];
    field.value = "1000";
    field.dispatchEvent(new Event("change"));
  });
  near((await page.evaluate((link) => window.grbda.position(link), base))[2], 1, 1e-6);
  assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
  assert.equal(await text(page, "message"), "");
}));

test("several quantities are plotted, and axes have round numbers", () => on("four_bar", {}, async (page) => {
  assert.deepEqual(ticks(-0.13, 0.52, 3), [0, 0.5]);
  assert.deepEqual(ticks(0, 9, 3), [0, 5]);
  assert.deepEqual([0.7, 1, 3, 60].map(rounded), [1, 1, 5, 100]);
  await page.evaluate(() => { window.grbda.step(0.1); window.grbda.step(0.1); });
  const one = await page.evaluate(() => document.getElementById("curves").clientHeight);
  await page.select("#quantity", "joint 0 0");
  const names = await page.evaluate(() => window.grbda.curves().map(({ name }) => name)), joint = await page.evaluate(() => window.grbda.info().bodies[0].joint);
  assert.deepEqual(names, ["kinetic", "potential", "total", joint]);
  assert.ok(await page.evaluate(() => document.getElementById("curves").clientHeight) > one + 50, "no lane of its own");
  await page.click(".chip");
  assert.deepEqual(await page.evaluate(() => window.grbda.curves().map(({ name }) => name)), [joint]);
}));

test("the picture is saved as PNG", () => on("delta", {}, async (page) => {
  const { type, bytes } = await page.evaluate(() => new Promise((resolve) => {
    URL.createObjectURL = (blob) => { blob.arrayBuffer().then((data) => resolve({ type: blob.type, bytes: [...new Uint8Array(data).subarray(0, 4)].concat(data.byteLength) })); return "blob:none"; };
    HTMLAnchorElement.prototype.click = () => {};
    document.getElementById("shot").click();
  }));
  assert.equal(type, "image/png");
  assert.deepEqual(bytes.slice(0, 4), [0x89, 0x50, 0x4e, 0x47]);
  assert.ok(bytes[4] > 5000, `${bytes[4]} bytes`);
}));

test("a link opens the robot that was opened on the page, in its pose", () => on(null, {}, async (page) => {
  await click(page, "sample");
  await page.evaluate(() => window.grbda.set("leg1", 0.02));
  await click(page, "share");
  await wait(page, () => /&r=/.test(location.hash));
  const { hash, pose } = await page.evaluate(() => ({ hash: location.hash, pose: window.grbda.q() }));
  const again = await openPage(browser, pageOf(null), { hash });
  await wait(again.page, () => window.grbda.info() !== null);
  assert.equal(await again.page.evaluate(() => window.grbda.info().robot), "stewart_platform");
  assert.ok(farthest(await q(again.page), pose) < 1e-6);
  assert.deepEqual(again.problems, []);
  await again.page.close();
}));

test("at 200 % zoom the picture and the panel are beside each other", () => on("digit", { width: 640, height: 400 }, async (page) => {
  const box = (selector) => page.evaluate((name) => { const { left, right, height } = document.querySelector(name).getBoundingClientRect(); return { left, right, height }; }, selector);
  const canvas = await box("#canvas"), sliders = await box("#right");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 640);
  assert.ok(canvas.height >= 180, `${canvas.height} px`);
  assert.ok(sliders.height >= 120 && sliders.left >= canvas.right - 1 && sliders.right <= 640);
}));

for (const [what, name, options] of [["empty", null, {}], ["with forces", "digit", {}], ["dark", "tello", { dark: true }], ["on a phone", "delta", { width: 390, height: 844 }]])
  test(`axe finds nothing on the page: ${what}`, () => on(name, options, async (page) => {
    if (what === "with forces") {
      await page.keyboard.press("m");
      await page.evaluate(() => { window.grbda.step(0.05); window.grbda.step(0.05); });
    }
    await page.evaluate(axe);
    const found = await page.evaluate(async () => (await window.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html).join(" ")}`));
    assert.deepEqual(found, []);
  }));
