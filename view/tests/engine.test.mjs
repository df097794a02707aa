// The engine of this machine and that for WebAssembly agree: descriptions, and numbers to 1e-12 of the largest.
// Both run view/tests/trace.cpp. GRBDA_VIEW_NATIVE is this machine's program.
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build, robots, root } from "./browser.mjs";

const TOLERANCE = 1e-12;
const SEARCHED = 1e-4;  // iterations end within 1e-5 m of a target

const native = process.env.GRBDA_VIEW_NATIVE ?? join(root, "build/dev/view/grbda_view_trace");
const options = { maxBuffer: 1 << 30, encoding: "utf8" };
const trace = (command, ...before) => robots().map(({ files }) => JSON.parse(execFileSync(command, [...before, files.join(",")], options))[0]);

/** Largest difference of numbers, relative to one where they are larger; texts and lengths must be equal. */
function difference(a, b, path, report) {
  if (typeof a === "number" && typeof b === "number") return report(path, Math.abs(a - b) / Math.max(1, Math.abs(a)));
  if (typeof a !== "object" || a === null || b === null) {
    const x = Number(a), y = Number(b);  // numbers within messages are rounded
    if (a !== b) report(path, Number.isFinite(x) && Number.isFinite(y) ? Math.abs(x - y) : Infinity);
    return;
  }
  assert.deepEqual(Object.keys(a), Object.keys(b), path);
  for (const key of Object.keys(a)) difference(a[key], b[key], `${path}/${key}`, report);
}

test("WebAssembly agrees with this machine", (context) => {
  const here = trace(native), there = trace("node", "--no-experimental-fetch", join(build, "engine/view/grbda_view_trace.js"));
  let worst = ["", 0];
  here.forEach((robot, i) => difference(robot, there[i], robot.info.robot, (path, off) => {
    const searched = /\/(drag|forces)/.test(path) || /condition|costs|misfit|reason/.test(path);
    if (!searched && off > worst[1]) worst = [path, off];
    assert.ok(off <= (searched ? SEARCHED : TOLERANCE), `${path}: ${off}`);
  }));
  context.diagnostic(`largest difference ${worst[1]} at ${worst[0]}`);
});
