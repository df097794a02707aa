// Writes the pages of all robots that are shipped, and a page with a picture of each, light and dark: build/view/gallery/index.html.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, launch, openPage, pageOf, robots } from "./tests/browser.mjs";

const folder = join(build, "gallery"), size = { width: 1180, height: 620 };
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

/** Takes pictures of a page's robot. Returns the line that says how many bodies and loops it has. */
async function portray(browser, path, name) {
  const { page, problems } = await openPage(browser, path, size);
  if (problems.length) throw new Error(`${name}: ${problems.join("; ")}`);
  const { x, y, width, height } = await page.evaluate(() => document.getElementById("canvas").getBoundingClientRect().toJSON());
  for (const look of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: look }]);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await page.screenshot({ path: join(folder, `${name}-${look}.webp`), type: "webp", quality: 80, clip: { x, y, width, height } });
  }
  const summary = await page.evaluate(() => document.getElementById("summary").textContent);
  await page.close();
  return { summary, width, height };
}

const browser = await launch(), items = [];
for (const { name } of robots()) {
  const path = pageOf(name), { summary, width, height } = await portray(browser, path, name);
  cpSync(path, join(folder, `${name}.html`));
  items.push(`<a href="${name}.html"><picture><source srcset="${name}-dark.webp" media="(prefers-color-scheme: dark)">
<img src="${name}-light.webp" width="${Math.round(width)}" height="${Math.round(height)}" alt=""></picture><b>${name}</b><span>${summary}</span></a>`);
}
await browser.close();
writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Robots of grbda</title><style>:root{color-scheme:light dark}body{font:16px/1.4 system-ui,sans-serif;margin:1.5rem;color:light-dark(#16191d,#e8ebee);
background:light-dark(#fff,#1d2126)}main{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}a{display:block;color:inherit;
text-decoration:none;border:1px solid light-dark(#d5dae0,#343a42);border-radius:10px;overflow:hidden;padding-bottom:.5rem}a:hover,a:focus{border-color:#0b62b8}
img{width:100%;height:auto;display:block;margin-bottom:.4rem}b,span{display:block;padding:0 .8rem}span{font-size:.85rem;opacity:.75}</style>
<h1>Robots of grbda</h1><p>Each opens as a page of its own with the engine in it: drag a body, and the loops stay closed.</p><main>
${items.join("\n")}
</main></html>
`);
console.log(`${items.length} robots in ${folder}/index.html`);
