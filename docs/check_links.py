"""Checks that every link within a site leads to a file and, if it names an anchor, to that anchor, that every picture
exists, and that nothing is loaded from elsewhere. The menu (menudata.js) is read as a page. Usage: check_links.py FOLDER"""

import glob
import os
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".js"):
            self.links = [link for link in re.findall(r'url:"(.*?)"', text) if link]
        else:
            self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for key in ("src", "href"):
            if tag in ("img", "script", "link", "iframe", "object") and attributes.get(key):
                self.loads.append(attributes[key])


def broken(folder):
    paths = glob.glob(f"{folder}/**/*.html", recursive=True) + glob.glob(f"{folder}/menudata.js")
    pages = {os.path.normpath(path): Page(path) for path in paths}
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme in ("javascript", "data") or (parts.scheme and link in page.links):
                continue
            if parts.scheme or parts.netloc:
                yield f"{path}: loads {link} from elsewhere"
                continue
            name = unquote(parts.path)
            target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(target):
                yield f"{path}: no {link}"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path}: no anchor {link}"
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
    if not pages:
        yield f"{folder}: no pages"


found = sorted(set(broken(sys.argv[1])))
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
