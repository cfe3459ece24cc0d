// Elements of the page, made in one call.

/**
 * An element with attributes and children. Attributes that start with "on" are listeners; `class`, `text` and `value` mean what
 * they say; `true` sets an attribute without a value, `false` and `null` leave it out.
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else if (name === "value" || name === "checked") made[name] = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** Whether an element has the focus, also inside a shadow tree, whose host the document names instead. */
export function hasFocus(node) {
  return node.getRootNode().activeElement === node;
}

/** Replaces the text of an element, but only if it differs: unchanged text costs no layout. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A button with a drawn sign and a name for screen readers; the name is its tooltip too. */
export function button(name, sign, onclick, attributes = {}) {
  return element("button", { type: "button", title: name, "aria-label": name, onclick, ...attributes }, icon(sign));
}

const PATHS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  step: "M5 4.5v15l9-7.5zM16 5h3v14h-3z",
  back: "M19 4.5v15l-9-7.5zM5 5h3v14H5z",
  reset: "M12 5V1.5L6.5 6 12 10.5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z",
  live: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  panels: "M3 5h18v2H3zM3 11h18v2H3zM3 17h18v2H3z",
  plots: "M4 4h2v14h14v2H4zM8 14l4-5 3 3 4-6 1.6 1.1L15.300 15l-3.100-3.100L9.600 15.200z",
  help: "M11 16h2.200v2.400H11zM12 5.500c-2.400 0-4 1.500-4 3.700h2.200c0-1.100.7-1.800 1.800-1.800s1.800.6 1.800 1.600c0 .8-.4 1.200-1.300 1.900-1.100.8-1.500 1.600-1.500 2.900v.5h2.100v-.4c0-.8.3-1.200 1.200-1.900 1.100-.8 1.800-1.700 1.800-3.100 0-2.100-1.700-3.400-4.100-3.400z",
  close: "M6.200 5 12 10.800 17.800 5 19 6.200 13.200 12l5.800 5.800-1.200 1.200-5.800-5.800L6.200 19 5 17.800 10.800 12 5 6.200z",
  follow: "M12 3.500v3M12 17.500v3M3.500 12h3M17.500 12h3M12 7a5 5 0 1 0 .01 0z",
};

function icon(sign) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawn.setAttribute("viewBox", "0 0 24 24");
  drawn.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[sign]);
  if (sign === "follow") drawn.classList.add("stroked");
  drawn.append(path);
  return drawn;
}

/** Changes the sign that a button of `button` shows, and its name. */
export function relabel(node, name, sign) {
  if (node.getAttribute("aria-label") === name) return;
  node.title = name;
  node.setAttribute("aria-label", name);
  node.querySelector("path").setAttribute("d", PATHS[sign]);
}

/** A number in few digits, with a real minus sign. */
export function short(value, digits = 3) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(digits - 1) : String(+value.toPrecision(digits));
  return text.replaceAll("-", "−").replace("e+", "e");
}
