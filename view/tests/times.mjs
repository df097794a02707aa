// Prints how long the page takes: the first picture, the engine and a frame while a body is dragged. Times are processor time of
// the page's main thread, and of the process that draws, so that other programs do not count; the first picture and intervals
// of frames are also real time. Usage: times.mjs [ROBOT]…
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { launch, openPage, pageOf, robots } from "./browser.mjs";

const FRAMES = 150, RADIUS = 20;  // of a drag: frames, pixels

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

/** Drags the last body in a circle, as a mouse does. Returns frame intervals and processor time of page and drawing, in ms. */
async function dragTime(page, renderers, gpu) {
  let x, y;
  for (const link of await page.evaluate(() => window.grbda.info().bodies.map((body) => body.link).reverse())) {
    ({ x, y } = await page.evaluate((name) => window.grbda.screen(name), link));
    await page.mouse.move(x, y);
    if (await page.evaluate(() => document.getElementById("label").style.display === "block")) break;  // a body is under the pointer
  }
  await page.mouse.down();
  const circle = (x, y, radius, frames) => new Promise((resolve) => {
    const times = [], canvas = document.getElementById("canvas");
    const next = (now) => {
      times.push(now);
      if (times.length > frames) return resolve(times.slice(1).map((time, i) => time - times[i]));
      const angle = times.length / 12;
      canvas.dispatchEvent(new PointerEvent("pointermove", { pointerId: 1, pointerType: "mouse", buttons: 1,
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
  return { page: (after[0] - before[0]) / FRAMES, drawing: (after[1] - before[1]) / FRAMES, median: intervals[FRAMES / 2], late: intervals[Math.floor(0.95 * FRAMES)] };
}

const wanted = process.argv.slice(2);
console.log("robot, bytes gzipped, first picture: real and processor ms | processor ms of a drag, a slider, 16 ms of simulation | of a dragged frame: page, drawing | interval: median, 95 %");
for (const { name } of robots().filter((robot) => !wanted.length || wanted.includes(robot.name))) {
  const browser = await launch(), path = pageOf(name);
  const { page, ready } = await openPage(browser, path);
  const renderers = processesOf("renderer", browser.process().pid), [gpu] = processesOf("gpu-process", browser.process().pid);
  const loaded = mainTime(renderers), engine = [];
  for (const [what, count] of [["drag", 60], ["move", 60], ["step", 20]]) engine.push(await engineTime(page, renderers, what, count));
  const frame = await dragTime(page, renderers, gpu), ms = (list) => list.map((x) => x.toFixed(2)).join(" ");
  console.log(`${name} ${gzipSync(readFileSync(path), { level: 9 }).length} ${Math.round(ready)} ${Math.round(loaded)} | ${ms(engine)} | ${ms([frame.page, frame.drawing])} | ${ms([frame.median, frame.late])}`);
  await browser.close();
}
