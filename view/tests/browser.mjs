// A page in headless Chromium, with what it asked of the network and said on its console.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readdirSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fill } from "../fill.mjs";

export const root = resolve(fileURLToPath(new URL("../..", import.meta.url)));
export const build = join(root, "build/view");
const puppeteer = createRequire(join(build, "npm/package.json"))("puppeteer-core");

export async function launch() {
  return puppeteer.launch({ executablePath: "/usr/lib/chromium/chromium", headless: true, protocolTimeout: 120000,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--allow-file-access-from-files"] });
}

/** Files of each robot that is shipped. */
export function robots() {
  return readdirSync(join(root, "robots"), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => ({
    name, files: readdirSync(join(root, "robots", name)).filter((file) => !file.endsWith(".md")).map((file) => join(root, "robots", name, file)) }));
}

/** Writes the page of a robot; null: the page without one. Returns its path. */
export function pageOf(name) {
  const template = readFileSync(join(build, "template.html"), "utf8");
  const folder = join(build, "pages");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name ?? "empty"}.html`);
  writeFileSync(path, name === null ? template : fill(template, robots().find((robot) => robot.name === name).files));
  return path;
}

/** Opens a page, by its path or address, and waits until it is ready. */
export async function openPage(browser, path, { width = 1280, height = 800, dark = false, hash = "" } = {}) {
  const page = await browser.newPage();
  await page.setViewport({ width, height, isMobile: width < 700, hasTouch: width < 700 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  const requests = [], problems = [];
  page.on("request", (request) => { if (!request.url().startsWith("data:")) requests.push(request.url()); });
  page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(`${path.startsWith("http") ? path : `file://${path}`}${hash}`);
  const ready = await page.evaluate(() => window.grbda.ready).catch((error) => problems.push(error.message));
  return { page, requests, problems, ready };
}

export const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

/** Opens the page of a robot for one test, which must leave no error and no second request. */
export async function onPage(browser, name, options, work) {
  const { page, requests, problems, ready } = await openPage(browser, pageOf(name), options);
  try {
    await work(page, ready);
    assert.deepEqual(problems, []);
    assert.equal(requests.length, 1, requests.join("\n"));
  } finally {
    await page.close();
  }
}
