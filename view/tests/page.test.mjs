// The page in a browser, by values of the DOM and of window.grbda, its network log and its console.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { launch, openPage, pageOf, robots } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

/** Opens the page of a robot for one test, which must leave no error and no second request. */
async function on(name, options, work) {
  const { page, requests, problems, ready } = await openPage(browser, pageOf(name), options);
  try {
    await work(page, ready);
    assert.deepEqual(problems, []);
    assert.equal(requests.length, 1, requests.join("\n"));
  } finally {
    await page.close();
  }
}
/** Where a link's origin is on the screen. */
const screen = (page, link) => page.evaluate((name) => {
  const { x, y } = window.grbda.screen(name);
  return { x, y };
}, link);

for (const { name } of robots())
  test(`${name} loads, is drawn, and its loops are closed`, () => on(name, {}, async (page) => {
    const facts = await page.evaluate(() => ({ info: window.grbda.info(), residual: window.grbda.residual(),
      rows: document.querySelectorAll(".joint").length, title: document.title, message: document.getElementById("message").textContent }));
    assert.equal(facts.title, `${facts.info.robot} – grbda`);
    assert.equal(facts.message, "");
    assert.equal(facts.rows, facts.info.nv_tree);
    assert.ok(facts.residual <= 1e-10);
  }));

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
    return new Promise((resolve) => setTimeout(() => resolve(document.querySelector(".joint output").textContent), 800));
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
  assert.equal(await page.evaluate(() => document.getElementById("play").textContent), "▶ Play");
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

test("meshes among the files are drawn, missing ones are listed", () => on(null, {}, async (page) => {
  const facet = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet";
  const mesh = (name) => `<visual><geometry><mesh filename="package://a/meshes/${name}"/></geometry></visual>`;
  const inertial = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  const urdf = `<robot name="a"><link name="base"/><link name="arm">${inertial}${mesh("arm.stl")}${mesh("hand.obj")}${mesh("gone.stl")}</link>` +
    `<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>`;
  const facts = await page.evaluate((files) => {
    window.grbda.open(files, ["a/a.urdf"]);
    return { list: document.getElementById("list").textContent, triangles: window.grbda.triangles("arm"), message: document.getElementById("message").textContent };
  }, [{ path: "a/a.urdf", text: urdf }, { path: "a/meshes/arm.stl", text: `solid a ${facet} ${facet} endsolid a` },
    { path: "a/meshes/hand.obj", text: "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" }]);
  assert.equal(facts.message, "");
  assert.equal(facts.triangles, 3);
  assert.match(facts.list, /gone.stl is not among/);
  assert.doesNotMatch(facts.list, /arm.stl|hand.obj/);
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
