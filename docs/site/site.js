// Copy buttons on blocks of code, and search in the text of all pages. Both work without a server.
"use strict";

function addCopyButton(block) {
    const lines = block.querySelectorAll("div.line");
    const text = () => (lines.length ? [...lines].map((line) => line.textContent).join("\n") : block.textContent) + "\n";
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text());
        } catch {  // browsers refuse the clipboard to some pages of the file system
            const area = document.body.appendChild(document.createElement("textarea"));
            area.value = text();
            area.select();
            document.execCommand("copy");
            area.remove();
        }
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    frame.append(block, button);
}

// Search: sections [address, page, heading, text] that contain all words, best first.

let sections = null;

function score(section, words, query) {
    let sum = section.page.endsWith(" Reference") || section.page === "Changelog" ? 0 : 8;  // pages come first
    if (section.lowerHeading === query || section.lowerHeading.startsWith(query + "(")) sum += 30;
    for (const word of words) {
        const count = section.lowerText.split(word, 6).length - 1;
        const inHeading = section.lowerHeading.includes(word);
        const inPage = section.lowerPage.includes(word);
        if (!count && !inHeading && !inPage) return 0;
        sum += count + (inHeading ? 10 : 0) + (inPage ? 4 : 0);
    }
    return sum;
}

function snippet(section, words) {
    const found = words.map((word) => section.lowerText.indexOf(word)).filter((at) => at >= 0);
    const begin = Math.max(0, Math.min(...found, section.text.length) - 50);
    const element = document.createElement("span");
    let rest = (begin ? "…" : "") + section.text.slice(begin, begin + 160);
    while (rest) {
        const lower = rest.toLowerCase();
        const next = words.map((word) => [lower.indexOf(word), word.length]).filter(([at]) => at >= 0);
        if (!next.length) break;
        const [at, length] = next.sort((a, b) => a[0] - b[0])[0];
        const mark = document.createElement("mark");
        mark.textContent = rest.slice(at, at + length);
        element.append(rest.slice(0, at), mark);
        rest = rest.slice(at + length);
    }
    element.append(rest);
    return element;
}

function showResults(list, query) {
    const words = query.split(/\s+/).filter(Boolean);
    const found = sections.map((section) => [words.length ? score(section, words, query) : 0, section])
        .filter(([value]) => value > 0).sort((a, b) => b[0] - a[0]).slice(0, 20);
    list.replaceChildren(...found.map(([, section]) => {
        const link = document.createElement("a");
        link.href = section.address;
        const title = document.createElement("b");
        title.textContent = section.heading ? `${section.heading} – ${section.page}` : section.page;
        link.append(title, snippet(section, words));
        return link;
    }));
    if (words.length && !found.length) list.textContent = "No section contains all of these words.";
    list.hidden = !words.length;
}

function loadSections() {
    return new Promise((resolve, reject) => {
        const script = document.createElement("script");  // fetch() cannot read files of the file system
        script.src = "search_sections.js";
        script.addEventListener("load", () => {
            resolve(searchSections.map(([address, page, heading, text]) => ({
                address, page, heading, text, lowerPage: page.toLowerCase(), lowerHeading: heading.toLowerCase(),
                lowerText: text.toLowerCase()
            })));
        });
        script.addEventListener("error", reject);
        document.head.append(script);
    });
}

function addSearch(bar) {
    const box = document.createElement("div");
    box.id = "search";
    box.innerHTML = '<input type="search" placeholder="Search (press /)" aria-label="Search all pages">' +
        '<div class="results" hidden></div>';
    bar.append(box);
    const [input, list] = box.children;
    const update = async () => {
        sections ??= await loadSections();
        showResults(list, input.value.trim().toLowerCase());
    };
    input.addEventListener("input", update);
    input.addEventListener("focus", update);
    document.addEventListener("click", (event) => { if (!box.contains(event.target)) list.hidden = true; });
    document.addEventListener("keydown", (event) => {
        const links = [...list.querySelectorAll("a")];
        const at = links.indexOf(document.activeElement);
        if (event.key === "/" && document.activeElement !== input) input.focus();
        else if (!box.contains(document.activeElement)) return;
        else if (event.key === "Escape") list.hidden = true;
        else if (event.key === "ArrowDown") links[at + 1]?.focus();
        else if (event.key === "ArrowUp") (links[at - 1] ?? input).focus();
        else if (event.key === "Enter" && at < 0 && links.length) location.href = links[0].href;
        else return;
        event.preventDefault();
    });
}

document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".contents div.fragment, .contents pre.fragment").forEach(addCopyButton);
    addSearch(document.getElementById("titlearea"));
});
