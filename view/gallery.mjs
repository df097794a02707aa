// Writes the pages of all robots that are shipped, and a list of them: build/view/gallery/index.html.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fill } from "./fill.mjs";

const root = fileURLToPath(new URL("..", import.meta.url)), folder = join(root, "build/view/gallery");
mkdirSync(folder, { recursive: true });
const template = readFileSync(join(root, "build/view/template.html"), "utf8");
const names = readdirSync(join(root, "robots"), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
for (const name of names) {
  const files = readdirSync(join(root, "robots", name)).filter((file) => !file.endsWith(".md")).map((file) => join(root, "robots", name, file));
  writeFileSync(join(folder, `${name}.html`), fill(template, files));
}
const items = names.map((name) => `<li><a href="${name}.html">${name}</a></li>`).join("\n");
writeFileSync(join(folder, "index.html"), `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Robots of grbda</title><style>:root{color-scheme:light dark}body{font:16px system-ui;margin:2rem}li{margin:.5rem}</style>
<h1>Robots of grbda</h1><ul>
${items}
</ul>
`);
console.log(`${names.length} robots in ${folder}/index.html`);
