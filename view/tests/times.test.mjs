// Budgets of the page: size, first picture, engine and drawing of a frame. Times depend on the machine: GRBDA_VIEW_SLOW allows
// for one that is slower, or busy.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { launch, openPage, pageOf, robots } from "./browser.mjs";

const slow = Number(process.env.GRBDA_VIEW_SLOW ?? 1);
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

for (const { name } of robots())
  test(`${name} keeps the budgets`, async (context) => {
    const path = pageOf(name), size = gzipSync(readFileSync(path), { level: 9 }).length;
    assert.ok(size <= 1.5e6, `${size} bytes gzipped`);
    const { page, ready } = await openPage(browser, path);
    const times = await page.evaluate(() => {
      const mean = (what, count) => { window.grbda.measure(what, count); return window.grbda.measure(what, count); };
      return { drag: mean("drag", 60), slider: mean("move", 60), step: mean("step", 20), draw: mean("draw", 10) };
    });
    await page.close();
    const text = Object.entries(times).map(([what, ms]) => `${what} ${ms.toFixed(2)} ms`).join(", ");
    context.diagnostic(`${size} bytes gzipped, first picture ${Math.round(ready)} ms, ${text}`);
    assert.ok(ready <= 1000 * slow, `first picture after ${ready} ms`);
    assert.ok(times.drag <= 3 * slow && times.slider <= 3 * slow && times.step <= 8 * slow, text);
  });
