// Writes FOLDER/template.html: page, engine and libraries in one file, with a slot for the robot. Usage: build.mjs FOLDER,
// which holds engine/view/grbda_engine.{js,wasm} and npm/node_modules.
import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const folder = resolve(process.argv[2] ?? "build/view");
const here = fileURLToPath(new URL(".", import.meta.url));
const require = createRequire(join(folder, "npm/package.json"));
const esbuild = require("esbuild");

const { outputFiles } = await esbuild.build({
  entryPoints: [join(here, "page/main.js")], bundle: true, minify: true, format: "iife", target: "es2021", write: false,
  nodePaths: [join(folder, "npm/node_modules")], legalComments: "none", charset: "utf8",
});
const style = (await esbuild.transform(readFileSync(join(here, "page/style.css"), "utf8"), { loader: "css", minify: true })).code;

/** Notices of what the page contains. */
function notices() {
  const parts = [["grbda", join(here, "../LICENSE")], ["three.js", join(folder, "npm/node_modules/three/LICENSE")],
    ["Eigen (MPL-2.0)", "/usr/share/doc/libeigen3-dev/copyright"], ["pugixml", join(folder, "sources/pugixml/LICENSE.md")],
    ["yaml-cpp", join(folder, "sources/yaml-cpp/LICENSE")], ["nlohmann-json", "/usr/share/doc/nlohmann-json3-dev/copyright"],
    ["emscripten, with musl and libc++", "/usr/share/doc/emscripten/copyright"]];
  const text = parts.map(([name, path]) => {
    if (!existsSync(path)) return `${name}: its notice was not found when this page was built\n`;
    const notice = readFileSync(path, "utf8");
    return `${name}\n\n${name.startsWith("Eigen") ? "Its source is subject to the Mozilla Public License 2.0 and is available from the Eigen project.\n" : notice}`;
  });
  return text.join("\n\n--------\n\n");
}

/** A robot for a visitor who has none. */
function sample(name) {
  const path = `${name}.urdf`, text = readFileSync(join(here, "../robots", name, path), "utf8");
  return JSON.stringify({ files: [{ path, text }], main: [path] }).replaceAll("<", "\\u003c");
}

const engine = readFileSync(join(folder, "engine/view/grbda_engine.wasm"));
const slots = {
  STYLE: style,
  ENGINE: gzipSync(engine, { level: 9 }).toString("base64"),
  RUNTIME: readFileSync(join(folder, "engine/view/grbda_engine.js"), "utf8"),
  PAGE: outputFiles[0].text,
  NOTICES: notices(),
  SAMPLE: sample("stewart_platform"),
};
const page = readFileSync(join(here, "page/index.html"), "utf8")
  .replace(/\/\*(STYLE|ENGINE|RUNTIME|PAGE|NOTICES|SAMPLE)\*\//g, (_, slot) => slots[slot].replaceAll("</script", "<\\/script"));
writeFileSync(join(folder, "template.html"), page);
console.log(`template.html: ${page.length} characters, ${gzipSync(page, { level: 9 }).length} bytes gzipped`);
