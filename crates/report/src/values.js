"use strict";
// Shows the values of a plot's lines under the pointer. They are read back from the paths, so that no
// number is in the page twice; as many digits are shown as that gives.
{
  const box = document.createElement("div");
  box.className = "values";
  box.hidden = true;
  document.body.append(box);

  for (const svg of document.querySelectorAll("svg.hover")) {
    const numbers = (text) => text.split(" ").map(Number);
    const [left, right, xFrom, xTo] = numbers(svg.dataset.x);
    const [bottom, top, yFrom, yTo] = numbers(svg.dataset.y);
    const logarithmic = svg.dataset.logarithmic === "true";
    const create = (name) => document.createElementNS(svg.namespaceURI, name);
    let lines = null, hair = null;

    const read = () => {
      lines = [...svg.querySelectorAll("path[data-name]")].map((path) => ({
        name: path.dataset.name,
        colour: getComputedStyle(path).stroke,
        points: [...(path.getAttribute("d") || "").matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)]
          .map((m) => [+m[1], +m[2]]),
        dot: create("circle"),
      }));
      hair = create("line");
      hair.setAttribute("class", "hair");
      hair.setAttribute("y1", top);
      hair.setAttribute("y2", bottom);
      svg.append(hair);
      for (const line of lines) {
        line.dot.setAttribute("class", "spot");
        line.dot.setAttribute("r", 3.5);
        svg.append(line.dot);
      }
    };

    const minus = (text) => text.replace("-", "−");
    const rounded = (value, step) =>
      minus(value.toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step))))));
    const valueAt = (y) => {
      const value = yFrom + (bottom - y) / (bottom - top) * (yTo - yFrom);
      if (logarithmic) return minus((10 ** value).toPrecision(3));
      const step = (yTo - yFrom) / (bottom - top) / 5;
      return step < 1e-6 ? minus(value.toExponential(2)) : rounded(value, step);
    };

    const hide = () => {
      box.hidden = true;
      svg.classList.remove("live");
    };
    svg.onpointerleave = hide;
    svg.onpointermove = (event) => {
      if (lines === null) read();
      const area = svg.getBoundingClientRect();
      const pointer = (event.clientX - area.left) / area.width * svg.viewBox.baseVal.width;
      const all = lines.flatMap((line) => line.points.map((point) => point[0]));
      if (!all.length || pointer < left - 8 || pointer > right + 8) return hide();
      const at = all.reduce((a, b) => Math.abs(b - pointer) < Math.abs(a - pointer) ? b : a);
      const x = xFrom + (at - left) / (right - left) * (xTo - xFrom);
      hair.setAttribute("x1", at);
      hair.setAttribute("x2", at);
      box.replaceChildren();
      const row = (text, colour) => {
        const div = document.createElement("div");
        if (colour) {
          const key = document.createElement("i");
          key.style.background = colour;
          div.append(key);
        }
        div.append(text);
        box.append(div);
      };
      const [, name, unit] = svg.dataset.xName.match(/^(.*?)(?: \[(.*)\])?$/);
      row(`${name} ${rounded(x, Math.min((xTo - xFrom) / 500, 1))} ${unit || ""}`);
      for (const line of lines) {
        // The nearest point, if it is not across a gap.
        const near = line.points.filter((point) => Math.abs(point[0] - at) < 4);
        const point = near.sort((a, b) => Math.abs(a[0] - at) - Math.abs(b[0] - at))[0];
        const inside = point && point[1] >= top - 1 && point[1] <= bottom + 1;
        line.dot.setAttribute("visibility", inside ? "visible" : "hidden");
        if (!point) continue;
        line.dot.setAttribute("cx", point[0]);
        line.dot.setAttribute("cy", point[1]);
        line.dot.style.fill = line.colour;
        row(`${line.name}  ${valueAt(point[1])}`, line.colour);
      }
      svg.classList.add("live");
      box.hidden = false;
      const over = event.clientX + box.offsetWidth + 24 > innerWidth;
      const x0 = over ? event.clientX - box.offsetWidth - 14 : event.clientX + 14;
      box.style.left = Math.max(4, x0) + scrollX + "px";
      box.style.top = event.clientY + scrollY + 14 + "px";
    };
  }
}
