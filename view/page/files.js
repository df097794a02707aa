// Robots from files that are dropped or opened: a description, side files, and what it includes.

const DESCRIPTION = /\.(urdf|xml|mjcf|sdf|world)$/i, SIDE = /\.(ya?ml|xrdf|srdf)$/i, RECORD = /\.(csv|json)$/i;

async function entries(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: path + entry.name, file }];
  }
  const reader = entry.createReader(), list = [];
  for (;;) {  // it gives a hundred at a time
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    list.push(...some);
  }
  return (await Promise.all(list.map((each) => entries(each, `${path}${entry.name}/`)))).flat();
}
async function dropped(transfer) {
  const roots = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  return (await Promise.all(roots.map((root) => entries(root)))).flat();
}

/** Reads files; the description is the first by name nearest to the top, side files are those beside it. */
export async function readFiles(list) {
  const files = await Promise.all(list.map(async ({ path, file }) => ({ path, bytes: new Uint8Array(await file.arrayBuffer()) })));
  const depth = (path) => path.split("/").length, folder = (path) => path.slice(0, path.lastIndexOf("/") + 1);
  const descriptions = files.map((file) => file.path).filter((path) => DESCRIPTION.test(path))
    .sort((a, b) => depth(a) - depth(b) || a.localeCompare(b));
  const main = descriptions.slice(0, 1);
  if (main.length) main.push(...files.map((file) => file.path).filter((path) => SIDE.test(path) && folder(path) === folder(main[0])));
  const record = main.length ? null : files.find((file) => RECORD.test(file.path));
  return { files, main, record: record ? { name: record.path, text: new TextDecoder().decode(record.bytes) } : null };
}

export function listenForFiles(app, ...inputs) {
  const show = (list) => list.then(readFiles).then((read) => app.open(read))
    .catch((error) => app.report(`These files cannot be shown: ${error.message}`));
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    show(dropped(event.dataTransfer));
  });
  for (const input of inputs) input.addEventListener("change", () => {
    show(Promise.resolve([...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))));
    input.value = "";  // the same files can be chosen again
  });
}
