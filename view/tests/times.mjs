// Prints how long the page takes: the first picture, the engine and a frame while a body is dragged. Times are processor time of
// the page's main thread, and of the process that draws, so that other programs do not count; the first picture and intervals
// of frames are also real time. Usage: times.mjs [ROBOT]…
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { launch, openPage, pageOf, robots } from "./browser.mjs";

const FRAMES = 100, RADIUS = 20;  // of a drag: frames, pixels

/** Processor time of a task, of all tasks of a process, and of the main threads of processes, in ms. */
const taskTime = (pid, task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6;
const processTime = (pid) => readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + taskTime(pid, task), 0);
const mainTime = (pids) => pids.reduce((sum, pid) => sum + taskTime(pid, pid), 0);

/** Processes of Chromium of a type: "renderer", "gpu-process". */
function processesOf(type, parent) {
  const parents = new Map(), found = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      parents.set(pid, readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ")[1]);
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`--type=${type}`)) found.push(pid);
    } catch { /* it has ended */ }
  }
  const isBelow = (pid) => pid === String(parent) || (parents.has(pid) && isBelow(parents.get(pid)));
  return found.filter(isBelow);
}

/** Mean processor time of a call, in ms, after a run that lets the compiler optimise. */
async function engineTime(page, renderers, what, count) {
  await page.evaluate((...call) => window.grbda.measure(...call), what, count);
  const before = mainTime(renderers);
  await page.evaluate((...call) => window.grbda.measure(...call), what, count);
  return (mainTime(renderers) - before) / count;
}

/**
 * Moves the mouse in a circle with its button pressed: on a body, which drags it, or on empty space, which turns the view.
 * Returns processor time of page and drawing and the intervals of frames, in ms.
 */
async function frameTime(page, renderers, gpu, { x, y }) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  const circle = (x, y, radius, frames) => new Promise((resolve) => {
    const times = [], canvas = document.getElementById("canvas");
    const next = (now) => {
      times.push(now);
      if (times.length > frames) return resolve(times.slice(1).map((time, i) => time - times[i]));
      const angle = times.length / 12;
      canvas.dispatchEvent(new PointerEvent("pointermove", { pointerId: 1, pointerType: "mouse", buttons: 1, bubbles: true,
        clientX: x + radius * Math.sin(angle), clientY: y + radius * (1 - Math.cos(angle)) }));
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  await page.evaluate(circle, x, y, RADIUS, FRAMES / 5);
  const before = [mainTime(renderers), processTime(gpu)];
  const intervals = await page.evaluate(circle, x, y, RADIUS, FRAMES);
  const after = [mainTime(renderers), processTime(gpu)];
  await page.mouse.up();
  intervals.sort((a, b) => a - b);
  return [(after[0] - before[0]) / FRAMES, (after[1] - before[1]) / FRAMES, intervals[FRAMES / 2], intervals[Math.floor(0.95 * FRAMES)]];
}
/** Where a body is in the window: the last one whose origin it covers. */
async function placeOfBody(page) {
  let at;
  for (const link of await page.evaluate(() => window.grbda.info().bodies.map((body) => body.link).reverse())) {
    at = await page.evaluate((name) => window.grbda.screen(name), link);
    await page.mouse.move(at.x, at.y);
    if (await page.evaluate(() => document.getElementById("label").style.display === "block")) break;
  }
  return at;
}
const corner = (page) => page.evaluate(() => {
  const { left, top } = document.getElementById("canvas").getBoundingClientRect();
  return { x: left + 30, y: top + 30 };
});

const wanted = process.argv.slice(2);
console.log("robot, bytes gzipped, first picture: real and processor ms | processor ms of a drag, a slider, 16 ms of simulation | " +
  "a frame of a turned view: page, drawing, interval: median, 95 % | the same of a dragged body");
for (const { name } of robots().filter((robot) => !wanted.length || wanted.includes(robot.name))) {
  const browser = await launch(), path = pageOf(name);
  const { page, ready } = await openPage(browser, path);
  const renderers = processesOf("renderer", browser.process().pid), [gpu] = processesOf("gpu-process", browser.process().pid);
  const loaded = mainTime(renderers), engine = [];
  for (const [what, count] of [["drag", 60], ["move", 60], ["step", 20]]) engine.push(await engineTime(page, renderers, what, count));
  const turned = await frameTime(page, renderers, gpu, await corner(page));
  const dragged = await frameTime(page, renderers, gpu, await placeOfBody(page));
  const ms = (list) => list.map((x) => x.toFixed(2)).join(" ");
  const size = gzipSync(readFileSync(path), { level: 9 }).length;
  console.log(`${name} ${size} ${Math.round(ready)} ${Math.round(loaded)} | ${ms(engine)} | ${ms(turned)} | ${ms(dragged)}`);
  await browser.close();
}
