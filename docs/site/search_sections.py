"""Writes FOLDER/search_sections.js, the text of all pages of a site by sections, which site.js searches.
Usage: search_sections.py FOLDER"""

import glob
import json
import os
import sys
from html.parser import HTMLParser

# Lists whose entries have pages of their own.
LISTS = ("namespaces", "namespacemembers", "dir_", "functions", "classes", "annotated", "hierarchy", "files", "globals")
VOID = {"img", "br", "hr", "input", "meta", "link", "wbr", "col"}
# Menus, tables of contents, and what KaTeX repeats for screen readers.
SKIPPED = {"toc", "summary", "memtemplate", "katex-mathml", "memSeparator", "headertitle", "permalink", "ttc"}


class Page(HTMLParser):
    """Sections [anchor, heading, text] of the contents of one page."""

    def __init__(self, path):
        super().__init__()
        self.title, self.sections = "", []
        self.stack = []  # (tag, whether its text is left out)
        self.inside = self.heading = self.in_title = False
        self.anchor = ""
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        classes = set((attributes.get("class") or "").split())
        if tag == "div" and "contents" in classes:
            self.inside, self.stack = True, []
            self.sections.append(["", "", ""])
        self.in_title = self.in_title or (tag == "div" and "title" in classes)
        if not self.inside:
            return
        if tag == "a" and attributes.get("id"):
            self.anchor = attributes["id"]
        if tag in ("h1", "h2", "h3") and "groupheader" not in classes:
            self.heading = True
            self.sections.append([self.anchor, "", ""])
        if tag not in VOID:
            self.stack.append((tag, bool(classes & SKIPPED) or tag in ("script", "style")))
        if self.sections and tag in ("p", "div", "td", "th", "li", "dt", "dd", "br", "tr"):
            self.sections[-1][2] += " "

    def handle_endtag(self, tag):
        if tag == "div":
            self.in_title = False
        if tag in ("h1", "h2", "h3"):
            self.heading = False
        if self.inside and any(open_tag == tag for open_tag, _ in self.stack):
            while self.stack.pop()[0] != tag:
                pass
        self.inside = self.inside and bool(self.stack)

    def handle_data(self, data):
        if self.in_title:
            self.title += data
        elif self.inside and not any(skipped for _, skipped in self.stack):
            section = self.sections[-1]
            section[1 if self.heading else 2] += data
            if self.heading:
                section[0] = self.anchor  # Doxygen writes the anchor within or before the heading


def words(text):
    return " ".join(text.replace("\u200b", "").replace("\u25c6", "").replace("\xa0", " ").split())


def sections(folder):
    for path in sorted(glob.glob(f"{folder}/*.html")):
        name = os.path.basename(path)
        if name.startswith(LISTS) or name.endswith("-members.html"):
            continue
        page = Page(path)
        title = words(page.title) or "grbda"
        for anchor, heading, text in page.sections:
            # The head of a namespace lists what its other sections and other pages describe.
            if words(heading) or (words(text) and not name.startswith("namespace")):
                yield [name + ("#" + anchor if anchor else ""), title, words(heading), words(text)]


found = list(sections(sys.argv[1]))
if len(found) < 100:
    sys.exit(f"search_sections.py: {sys.argv[1]} has only {len(found)} sections; expected the pages of Doxygen")
with open(os.path.join(sys.argv[1], "search_sections.js"), "w", encoding="utf-8") as out:
    out.write("var searchSections = " + json.dumps(found, ensure_ascii=False, separators=(",", ":")) + ";\n")
print(f"{len(found)} sections")
