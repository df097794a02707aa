// The page follows a running program: its configuration is the one that was sent, and only this machine is asked.
// GRBDA_TOOL is the program grbda.
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { build, openPage, robots } from "./browser.mjs";
import { browser, tool } from "./setup.mjs";

/** Rows of a simulation, [header, rows as text], and where q is in them. */
function simulated(files) {
  const text = execFileSync(tool, ["simulate", ...files, "--duration", "0.5", "--every", "50"], { encoding: "utf8" });
  const [header, ...rows] = text.trim().split("\n"), columns = header.split(",");
  const places = columns.flatMap((name, i) => (name.startsWith("q:") ? [i] : []));
  return { header, rows, q: (row) => places.map((i) => Number(row.split(",")[i])) };
}

/** Starts `grbda view --serve` and returns the program and the address of its page. */
async function serve(files, header) {
  const program = spawn(tool, ["view", ...files, "--serve", "--rows", "-", "--template", join(build, "template.html")],
    { stdio: ["pipe", "pipe", "inherit"] });
  program.stdin.write(`${header}\n`);
  const [address] = await once(createInterface({ input: program.stdout }), "line");
  return { program, address };
}
const state = (page) => page.evaluate(() => ({ ...window.grbda.feed(), q: window.grbda.q(), button: document.getElementById("live").textContent,
  message: document.getElementById("message").textContent, plots: [...document.getElementById("quantity").options].map((o) => o.textContent),
  frames: Number(document.getElementById("replay").max) + 1 }));
/** Waits until the page shows a configuration; a page in the background draws nothing. */
async function shows(page, q) {
  await page.bringToFront();
  await page.waitForFunction((wanted) => window.grbda.q().every((x, i) => x === wanted[i]), { polling: 20, timeout: 60000 }, q);
}

test("two pages follow a program until it ends", async () => {
  const { files } = robots().find(({ name }) => name === "lims2_wrist"), { header, rows, q } = simulated(files);
  const { program, address } = await serve(files, header);
  const one = await openPage(browser, address), two = await openPage(browser, address);
  assert.equal((await state(one.page)).state, "waiting");
  const send = (row) => program.stdin.write(`${row}\n`);
  for (const row of rows.slice(0, 4)) {
    send(row);
    await shows(one.page, q(row));
    await shows(two.page, q(row));
  }
  const live = await state(one.page);
  assert.equal(live.state, "live");
  assert.equal(live.message, "");
  assert.equal(live.received, 4);
  assert.equal(live.frames, 4);
  assert.deepEqual(live.plots.slice(1, 3), ["time", header.split(",").find((name) => name.startsWith("qd:"))]);
  assert.ok(await one.page.evaluate(() => window.grbda.residual()) <= 1e-10);

  await two.page.close();
  await one.page.evaluate(() => window.grbda.reset());
  send(rows[4]);
  await one.page.waitForFunction(() => window.grbda.feed().received === 5);
  const paused = await state(one.page);
  assert.equal(paused.state, "paused");
  assert.notDeepEqual(paused.q, q(rows[4]));
  await one.page.click("#live");
  await shows(one.page, q(rows[4]));
  assert.equal((await state(one.page)).state, "live");

  program.stdin.end(`${rows[5]}\n`);
  await one.page.waitForFunction(() => window.grbda.feed().state === "ended");
  const ended = await state(one.page);
  assert.deepEqual(ended.q, q(rows[5]));
  assert.match(ended.button, /Ended/);
  assert.equal(ended.message, "The program has ended");
  assert.deepEqual(one.problems, []);
  assert.deepEqual([...new Set(one.requests.map((url) => new URL(url).host))], [new URL(address).host]);
  await one.page.close();
});

test("a program that is killed is said not to answer, and open loops are closed", async () => {
  const { files } = robots().find(({ name }) => name === "four_bar"), { header, rows, q } = simulated(files);
  const { program, address } = await serve(files, header);
  const { page } = await openPage(browser, address);
  const columns = header.split(","), open = rows[0].split(",");
  open[columns.findIndex((name) => name.startsWith("q:"))] = "0.3";
  program.stdin.write(`${open.join(",")}\n`);
  await page.waitForFunction(() => window.grbda.feed().received === 1 && /does not close/.test(document.getElementById("message").textContent));
  assert.ok(await page.evaluate(() => window.grbda.residual()) <= 1e-10);
  program.stdin.write(`${rows[1]}\n`);
  await shows(page, q(rows[1]));
  assert.equal((await state(page)).message, "");
  program.kill("SIGKILL");
  await page.waitForFunction(() => window.grbda.feed().state === "lost");
  assert.match((await state(page)).message, /does not answer/);
  await page.close();
});
