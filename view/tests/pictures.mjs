// Pictures of pages, for people to look at. Usage: pictures.mjs FOLDER ROBOT[:WIDTH[:light|dark[:forces]]]…, or pictures.mjs --docs for
// those of docs/viewer.md.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, openPage, pageOf, root } from "./browser.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const forces = (page) => page.keyboard.press("m");
/** Pulls a link by the pointer, from beside its origin, and holds it. */
async function pull(page, link, beside, x, y) {
  for (let i = 0; i < 2; ++i) await page.keyboard.press("-");
  const at = await page.evaluate((name) => window.grbda.screen(name), link);
  at.x += beside;
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + x, at.y + y, { steps: 30 });
  await pause(2000);
}
/** Simulates two seconds, with the position of a joint in the plot. */
async function simulate(page, joint) {
  await page.evaluate(() => window.grbda.step(0.01));
  await page.select("#quantity", await page.evaluate((name) => [...document.getElementById("quantity").options].find(({ textContent }) => textContent.startsWith(name)).value, joint));
  for (let i = 0; i < 40; ++i) await page.evaluate(() => window.grbda.step(0.05));
}
const DOCS = [
  { file: "drag", robot: "kangaroo_leg", act: (page) => pull(page, "foot", -28, 200, 130) },
  { file: "forces", robot: "stewart_platform", act: forces },
  { file: "simulation", robot: "digit", act: (page) => simulate(page, "left_motor_knee") },
  { file: "tello_dark", robot: "tello", dark: true, act: forces },
  { file: "phone", robot: "delta", width: 400, act: async () => {} },
  { file: "phone_dark", robot: "delta", width: 400, dark: true, act: (page) => page.click("[data-tab=clusters]") },
];

const [folder, ...wanted] = process.argv.slice(2);
const pictures = folder === "--docs" ? DOCS.map(({ file, ...rest }) => ({ ...rest, path: join(root, "docs/images/viewer", `${file}.png`) })) : wanted.map((each) => {
  const [robot, width = "1280", look = "light", mode] = each.split(":");
  return { robot, width: Number(width), dark: look === "dark", act: mode ? forces : async () => {}, path: join(folder, `${robot}-${width}-${look}.png`) };
});
if (folder !== "--docs") mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const { robot, width = 1280, dark, act, path } of pictures) {
  const { page, problems, ready } = await openPage(browser, pageOf(robot), { width, height: 800, dark });
  await act(page);
  await pause(500);
  await page.screenshot({ path });
  console.log(path, `ready after ${Math.round(ready)} ms`, ...problems);
  await page.close();
}
await browser.close();
