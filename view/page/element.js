// Elements of the page. Names come from files that nobody vouches for: they are text, never HTML.

export const byId = (id) => document.getElementById(id);

/** An element with properties and children; texts stay texts. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name === "style") Object.assign(element.style, value);
    else if (name.includes("-")) element.setAttribute(name, value);
    else element[name] = value;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
