// Sets the formulas of a site by KaTeX: the elements with class "formula" that doxygen_input.py writes, which contain TeX.
// Copies KaTeX's styles and fonts beside the pages. A formula with an error ends the run.
// Usage: formulas.mjs FOLDER NODE_MODULES
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2);
const katexFolder = path.join(modules, "katex/dist");
const { default: katex } = await import(pathToFileURL(path.resolve(katexFolder, "katex.mjs")));

const plain = (html) => html.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
let count = 0;
for (const name of fs.readdirSync(folder).filter((file) => file.endsWith(".html"))) {
    const file = path.join(folder, name);
    const html = fs.readFileSync(file, "utf-8");
    const set = html.replace(/<(div|span) class="formula">([^]*?)<\/\1>/g, (_, tag, tex) => {
        ++count;
        try {
            const result = katex.renderToString(plain(tex), { displayMode: tag === "div", strict: "error" });
            return `<${tag} class="formula">${result}</${tag}>`;
        } catch (error) {
            console.error(`${file}: KaTeX cannot set this formula: ${plain(tex)}\n${error.message}`);
            process.exit(1);
        }
    });
    if (set !== html) fs.writeFileSync(file, set);
}
if (!count) throw new Error(`${folder} contains no formula; expected those of docs/constraint-embedding.md`);

const style = fs.readFileSync(path.join(katexFolder, "katex.min.css"), "utf-8");
fs.mkdirSync(path.join(folder, "katex/fonts"), { recursive: true });
// All browsers of today read woff2.
fs.writeFileSync(path.join(folder, "katex/katex.min.css"), style.replace(/,url\([^)]*\.(woff|ttf)\) format\("\w+"\)/g, ""));
for (const font of fs.readdirSync(path.join(katexFolder, "fonts")).filter((file) => file.endsWith(".woff2"))) {
    fs.copyFileSync(path.join(katexFolder, "fonts", font), path.join(folder, "katex/fonts", font));
}
console.log(`${count} formulas`);
