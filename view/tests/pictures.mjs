// Pictures of pages, for people to look at. Usage: pictures.mjs FOLDER ROBOT[:WIDTH[:light|dark[:forces]]]…
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, openPage, pageOf } from "./browser.mjs";

const [folder, ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const each of wanted) {
  const [name, width = "1280", look = "light", forces] = each.split(":");
  const { page, problems, ready } = await openPage(browser, pageOf(name), { width: Number(width), height: 800, dark: look === "dark" });
  if (forces) await page.keyboard.press("m");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await page.screenshot({ path: join(folder, `${name}-${width}-${look}.png`) });
  console.log(each, `ready after ${Math.round(ready)} ms`, ...problems);
  await page.close();
}
await browser.close();
