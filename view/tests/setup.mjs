// What all tests of the page share: one browser and one temporary folder for a file of tests, and short names for what they do.
import { after, before } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, onPage, root } from "./browser.mjs";

export const tool = process.env.GRBDA_TOOL ?? join(root, "build/dev/tools/grbda");
export let browser, folder;  // while tests run
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "grbda-view-"));
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Opens the page of a robot for one test. */
export const on = (name, options, work) => onPage(browser, name, options, work);
export const text = (page, id) => page.evaluate((name) => document.getElementById(name).textContent, id);
export const pressed = (page, id) => page.evaluate((name) => document.getElementById(name).getAttribute("aria-pressed") === "true", id);
export const click = (page, id) => page.evaluate((name) => document.getElementById(name).click(), id);
export const q = (page) => page.evaluate(() => window.grbda.q());
/** Gives a file to the page as the button Open does. */
export const give = async (page, path) => (await page.$("#files")).uploadFile(path);
