"""Converts our headers and pages to Doxygen's syntax, and writes the menu. Usage: doxygen_input.py FOLDER PYTHON_REFERENCE, from
the root; writes to FOLDER. PYTHON_REFERENCE is a file with the generated page.

Headers: the words at the beginning of lines of our docstrings become titles, formulas become blocks, and the comment at
the top becomes that of the file. Pages: each gets its file as its label, headings get the labels of GitHub, links lead to
these, links to folders lead to their README, and links to other files become plain text."""

import glob
import os
import posixpath
import re
import sys

# The place of the page that python/generators/reference.py writes; it is not a file of the source tree.
PYTHON_REFERENCE = "docs/python-reference.md"

# The menu in reading order: groups of entries with titles. An entry is a page, a name for @ref, or a list of Doxygen. Each page of
# docs/ is in the menu once.
MENU = {
    "Start": {
        "docs/first-robot.md": "Your first robot with a loop",
        "docs/README.md": "All pages",
        "docs/installing.md": "Installing",
        "docs/from-urdf-to-mpc.md": "From a URDF to an MPC",
        "docs/conventions.md": "Conventions: q, y, frames, units",
        "docs/glossary.md": "Glossary",
        "docs/from-elsewhere.md": "For users of other libraries",
        "docs/from-elsewhere-tasks.md": "Ten tasks, side by side",
        "robots/README.md": "Robots",
    },
    "Guides": {
        "docs/command-line.md": "Command line",
        "docs/command-compute.md": "The command compute",
        "docs/formats.md": "Formats of robots",
        "docs/formats-writing.md": "Writing and combining robots",
        "docs/diagnostics.md": "Diagnostics",
        "docs/toolbox.md": "Toolbox: freeze, mount, workspace",
        "docs/viewer.md": "Viewer",
        "docs/simulation.md": "Simulation",
        "docs/simulation-command.md": "The command simulate",
        "docs/simulation-many.md": "Many simulations at a time",
        "docs/collision.md": "Collisions",
        "docs/mpc.md": "Model predictive control",
        "docs/c-interface.md": "C interface",
        "docs/generated.md": "Generated code",
        "docs/solvers.md": "Inside a solver",
        "docs/learning.md": "Reinforcement learning",
        "docs/serial.md": "Serial approximation",
        "docs/regressors.md": "Regressors",
    },
    "Theory": {
        "docs/from-file-to-clusters.md": "From file to clusters",
        "docs/constraint-embedding.md": "Constraint embedding",
        "docs/algorithms.md": "Algorithms",
        "docs/rods.md": "Rods",
        "docs/derivatives.md": "Derivatives",
    },
    "Speed": {
        "docs/benchmarks.md": "Benchmarks",
        "docs/benchmarks-comparisons.md": "Accuracy and comparisons",
        "docs/benchmarks-by-kind.md": "Benchmarks by kind of robot",
        "docs/performance.md": "Performance",
        "benchmarks/README.md": "Running the benchmarks",
    },
    "Reference": {
        "docs/api.md": "C++: functions by task",
        "filelist": "C++: headers",
        "classlist": "C++: types",
        "@ref grbda": "C++: all names",
        "docs/python.md": "Python: overview",
        PYTHON_REFERENCE: "Python: all names",
        "docs/stability.md": "Stability",
    },
    "Project": {
        "CHANGELOG.md": "Changelog",
        "CONTRIBUTING.md": "Contributing",
        "docs/extending.md": "Extending",
    },
}

# Headers that are installed because others include them, and are no part of the interface (docs/stability.md).
INTERNAL = {"model/workspace.hpp", "spatial/dual.hpp"}

WORDS = {"in": "In", "out": "Out", "in/out": "In and out", "errors": "Errors", "cost": "Cost", "source": "Source",
         "returns": "Returns"}
WORD = re.compile(r"^(?:(in/out|in|out|errors|cost|source)(?:\s{2,}|\s+(?=\S+\s{2,}))|(returns)\s+)(.*)$")

# Names that Doxygen does not find or links wrongly: specialisations of names of another scope, functions of friends.
FOREIGN = re.compile(r"^(?:///.*\n)*template <.*>\n(?:struct std::.*;|.*\w::\w+\((?:.*\n)*?})\n", re.MULTILINE)
FRIENDS = re.compile(r"^(?: +///.*\n)*( +)(?:\[\[.*?\]\] )?(?:inline )?friend (?!class|struct)(?:.*[^;{}\n]\n)*"
                     r"(?:.*[;}]\n|.*{\n(?:.*\n)*?\1}\n)", re.MULTILINE)
BROKEN_LINK = re.compile(r"\[([^\[\]\n]+)\n([^\[\]\n]+)\]\(")


def label(path, anchor=""):
    """Label of a page, or of a heading in it."""
    name = re.sub(r"[^a-z0-9]+", "_", path.removesuffix(".md").lower())
    return name + ("-" + re.sub(r"[^a-z0-9_-]", "_", anchor) if anchor else "")


def anchor_of(heading):
    """The anchor that GitHub makes."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower()).replace(" ", "-")


def escaped(text):
    """Escapes text that Doxygen would take for a command, a tag or a reference."""
    return re.sub(r"(?<!\\)([<>@\\#%&])", r"\\\1", text)


# Headers

def block(lines):
    """A run of /// lines, without their slashes."""
    formula = False
    titled = False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        word = WORD.match(line.strip()) if indent <= 1 else None
        is_formula = 2 <= indent <= 4 and not word and not (titled and indent > 4)
        if formula and not is_formula:
            yield " @endcode"
        if is_formula and not formula:
            yield " @code{.unparsed}"
        formula = is_formula
        if word:
            titled = True
            yield f" @par {WORDS[word[1] or word[2]]}"
            yield " " + escaped(word[3])
        elif is_formula:
            yield line
        else:
            titled = titled and bool(line.strip())
            yield " " + escaped(line.strip())
    if formula:
        yield " @endcode"


def check_keywords(path, text):
    """Refuses a keyword within a line, where reflowing a docstring leaves it."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"///.*[^/\s] +(in/out|errors|cost|source)  ", line):
            sys.exit(f"doxygen_input.py: {path}:{number}: a keyword of docstrings must begin its line")


def header(lines):
    run, margin = [], ""
    top = True
    file_comment = []
    for line in lines + [""]:
        comment = re.match(r"^(\s*)///(?!<)(.*)$", line)
        if comment:
            margin = comment[1]
            run.append(comment[2])
            continue
        if run:
            yield from (margin + "///" + text for text in block(run))
            run = []
        own = re.match(r"^//(?!/)\s?(.*)$", line)
        if top and own:
            file_comment.append(own[1])
            continue
        if file_comment:
            yield "/// @file"
            yield from ("///" + text for text in block([" " + text for text in file_comment]))
            yield ""
            file_comment, top = [], False
        top = top and not line.startswith("namespace")
        trailing = re.match(r"^(.*)///<(.*)$", line)
        yield trailing[1] + "///<" + escaped(trailing[2]) if trailing else line


# Pages

def target_of(link, page):
    """Returns Doxygen's target of a link in a page, or None if the link leads to something that is not a page."""
    if re.match(r"^(https?|mailto):", link):
        return link
    path, _, anchor = link.partition("#")
    full = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    if os.path.isdir(full) and os.path.isfile(full + "/README.md"):
        full += "/README.md"
    if not full.endswith(".md"):
        return None
    if full == "README.md" and not anchor:
        return "@ref index"
    return "@ref " + label(full, anchor)


def linked(match, page):
    target = target_of(match[2], page)
    if target is None:
        return match[1]
    return f"[{match[1]}]({target})"


def header_link(match):
    return f"[{match[1]}](@ref {match[1]})" if os.path.isfile("include/" + match[1]) else match[0]


def prose(text):
    """Text of a docstring for Markdown: code spans as they are, the rest without markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else escaped(part).replace("*", "\\*") for part in parts)


def docstring(lines):
    """A block of the Python reference: signatures stay code; arguments and attributes become lists, the rest text."""
    signature, margin = [], 0
    for line in lines:
        text = line.strip()
        if signature or re.match(r"^ {0,4}\w+\(.*(,|\) -> .*)$", line):
            margin = margin if signature else len(line) - len(line.lstrip())
            signature.append(line[margin:])
            if " -> " in line:
                yield from ("", "```{.py}", *signature, "```", "")
                signature = []
            continue
        item = re.match(r"^(?: {8})?(\w+(?: \[[^\]]*\])?): (.*)$", line)
        if item:
            yield f"- `{item[1]}`: {prose(item[2])}"
        else:
            yield prose(text)


def formula(tag, tex):
    """TeX that docs/site/formulas.mjs sets; Doxygen passes it on unread."""
    tex = tex.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'@htmlonly<{tag} class="formula">{tex}</{tag}>@endhtmlonly'


def page(lines, path):
    code = False
    block = []
    in_formula = False
    contents = sum(line.startswith("## ") for line in lines) >= 4  # a table of contents
    for line in lines:
        if in_formula or line.strip() == "```math":
            if line.strip() != "```":
                block.append(line.strip())
            else:
                yield line.replace("```", formula("div", " ".join(block[1:])))
                block = []
            in_formula = line.strip() != "```"
            continue
        if path == PYTHON_REFERENCE and (code or line == "```"):
            if line != "```":
                block.append(line)
            elif code:
                yield from docstring(block)
                block = []
            code = code != (line == "```")
            continue
        if line.startswith("```"):
            code = not code
            yield line.replace("```cpp", "```{.cpp}")
            continue
        if code or line.startswith("    "):
            yield line
            continue
        line = re.sub(r'src="(docs/)?images/', 'src="images/', line)
        line = re.sub(r"\$`(.*?)`\$", lambda m: formula("span", m[1]), line)
        # Code spans may hold anything; links around them are still links.
        line = re.sub(r"\[((?:[^\[\]`]|`[^`]*`)+)\]\(([^)\s]+)\)", lambda m: linked(m, path), line)
        line = re.sub(r"`(grbda/[\w/]+\.hpp)`", header_link, line)
        line = re.sub(r"`((?!grbda/)[\w/]+)(\.[hc]pp)`", r"<tt>%\1\2</tt>", line)  # no link to a public header
        heading = re.match(r"^(#+) (.*?)\s*$", line)
        if heading:
            own = label(path) if heading[1] == "#" else label(path, anchor_of(heading[2]))
            line = line if path == "README.md" and heading[1] == "#" else f"{line} {{#{own}}}"
            if contents and path != "README.md" and heading[1] == "#":
                line += "\n\n[TOC]"
        yield line


# Menu

def menu():
    """The navigation of Doxygen's layout file."""
    listed = [path for group in MENU.values() for path in group if path.endswith(".md")]
    wrong = sorted(set(glob.glob("docs/*.md")) - set(listed)) + sorted({x for x in listed if listed.count(x) > 1})
    if wrong:
        sys.exit(f"doxygen_input.py: MENU must hold every page of docs/ once: {', '.join(wrong)}")
    yield '<doxygenlayout version="1.0"><navindex>'
    yield '<tab type="mainpage" visible="yes" title="Home"/>'
    for group, pages in MENU.items():
        yield f'<tab type="usergroup" url="[none]" title="{group}">'
        for path, title in pages.items():
            link = "@ref " + label(path) if path.endswith(".md") else path
            tab = f'type="user" url="{link}"' if link.startswith("@ref") else f'type="{link}" visible="yes"'
            yield f'<tab {tab} title="{title}"/>'
        yield "</tab>"
    yield '<tab type="user" url="gallery/index.html" title="Gallery"/>'
    for unused in ("pages", "modules", "namespaces", "concepts", "interfaces", "classes", "structs", "exceptions", "files",
                   "examples"):
        yield f'<tab type="{unused}" visible="no"/>'
    yield "</navindex></doxygenlayout>"


def main():
    out, python_reference = sys.argv[1:]
    paths = [PYTHON_REFERENCE, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", *glob.glob("docs/*.md"), "benchmarks/README.md",
             *glob.glob("robots/**/*.md", recursive=True), *glob.glob("include/grbda/**/*.hpp", recursive=True)]
    paths = [path for path in paths if path.removeprefix("include/grbda/") not in INTERNAL]
    with open(os.path.join(out, "layout.xml"), "w", encoding="utf-8") as file:
        file.write("\n".join(menu()) + "\n")
    for path in sorted(paths):
        with open(python_reference if path == PYTHON_REFERENCE else path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".hpp"):
            check_keywords(path, text)
        lines = BROKEN_LINK.sub(r"[\1 \2](", FRIENDS.sub("", FOREIGN.sub("", text))).splitlines()
        # Pages of folders go to the top: the list of headers shows no folders of pages.
        target = os.path.join(out, label(path) + ".md" if path.endswith(".md") and path != "README.md" else path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write("\n".join(page(lines, path) if path.endswith(".md") else header(lines)) + "\n")


main()
