// Plots of channels by name beside the scene. A click on a plot shows that time; a line marks the time that is shown.

import uPlot from "uplot";

import { button, element, say, short } from "./dom.js";
import { History } from "./history.js";

/** Colours and dashes of lines: layers of one channel differ by both. */
const LINES = [["#1f8fe0", []], ["#e5651d", [6, 3]], ["#2a9d4b", [2, 3]], ["#9a4fd0", [8, 3, 2, 3]], ["#b8860b", [1, 4]], ["#d6336c", [10, 4]]];
/** Seconds that a live plot shows. */
const WINDOW = 10;
/** Live plots are drawn anew this often [ms]. */
const REDRAW = 80;
const HEIGHT = 118;

export class Plots {
  constructor(viewer) {
    this.viewer = viewer;
    this.history = new History();
    this.entries = [];
    this.drawn = 0;
    this.list = element("div", { class: "plot-list" });
    this.search = element("input", {
      type: "search", placeholder: "Plot a channel…", "aria-label": "Plot a channel: a part of its name", autocomplete: "off",
      oninput: () => this.offer(), onfocus: () => this.offer(),
      onkeydown: (event) => event.key === "Enter" && this.offered.firstElementChild?.click(),
    });
    this.offered = element("div", { class: "offered", role: "group", "aria-label": "Channels found" });
    this.root = element("section", { class: "plots", "aria-label": "Plots", hidden: true }, element("div", { class: "plot-search" }, this.search, this.offered), this.list);
    this.root.addEventListener("focusout", (event) => !this.root.contains(event.relatedTarget) && this.offered.replaceChildren());
    this.resize = new ResizeObserver(() => this.fitWidth());
    this.resize.observe(this.list);
  }

  /** The names of all channels, each once. */
  get names() {
    return [...new Set(this.channels.map((channel) => channel.name))];
  }

  get channels() {
    return this.viewer.source?.settings.channels ?? [];
  }

  get shown() {
    return !this.root.hidden;
  }

  show(on) {
    this.root.hidden = !on;
    if (on && this.entries.length === 0) this.suggest();
    if (on) {
      this.fitWidth();
      this.update(this.viewer.moment, true);
    }
  }

  /** The plots a recording asks for, or energy and contact force. */
  suggest() {
    const { recording } = this.viewer.source;
    const changed = (recording?.changes ?? []).slice(0, 2).map(({ name }) => [`network/${name}/without`, `network/${name}/with`]);
    const asked = [...changed, ...(recording?.header.plots ?? [])];
    const wanted = asked.length ? asked : this.names.filter((name) => /^(energy\/total|contact\/force\/z)$/.test(name)).map((name) => [name]);
    const first = wanted.length > 0 ? wanted : this.names.slice(0, 2).map((name) => [name]);
    for (const names of first) this.add(names);
  }

  offer() {
    const parts = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const open = new Set(this.entries.flatMap((entry) => entry.names));
    const found = this.names.filter((name) => !open.has(name) && parts.every((part) => name.toLowerCase().includes(part)));
    this.offered.replaceChildren(
      ...found.slice(0, 8).map((name) =>
        element("button", { type: "button", text: name, onclick: () => {
          this.add([name]);
          this.search.value = "";
          this.offered.replaceChildren();
          this.search.focus();
        } }),
      ),
    );
  }

  /** Opens a plot of channels of these names. In a recording it has a line for each layer. */
  add(names) {
    const known = names.filter((name) => this.names.includes(name));
    if (known.length === 0) return;
    const title = together(known);
    const entry = { names: known, values: element("div", { class: "plot-values" }), holder: element("div", { class: "plot-canvas" }) };
    entry.root = element("article", { class: "plot", "aria-label": `Plot of ${title}` },
      element("header", {}, element("h3", { text: title, title }), button(`Close the plot of ${title}`, "close", () => this.remove(entry))),
      entry.values, entry.holder);
    this.entries.push(entry);
    this.list.append(entry.root);
    this.build(entry);
    this.update(this.viewer.moment, true);
  }

  remove(entry) {
    entry.plot?.destroy();
    entry.root.remove();
    this.entries = this.entries.filter((other) => other !== entry);
  }

  /** Builds the lines of a plot: one for each channel of its names. */
  build(entry) {
    entry.plot?.destroy();
    entry.lines = this.channels.flatMap((channel, index) => (entry.names.includes(channel.name) ? [{ ...channel, index }] : []));
    entry.lines.forEach((line, k) => {
      const label = line.layer ?? (entry.names.length > 1 ? line.name.slice(shared(entry.names).length) : "");
      // A layer has the same line in every plot, in the colour of its ghost.
      const layers = this.viewer.layers?.layers ?? [];
      const layer = layers.findIndex((other) => other.name === line.layer);
      [line.colour, line.dash] = LINES[(layer < 0 ? k : layer) % LINES.length];
      if (layers[layer]?.colour) line.colour = layers[layer].colour;
      line.label = label;
      line.value = element("span", { class: "plot-value" });
      line.value.style.setProperty("--line", line.colour);
      line.value.dataset.dash = line.dash.length > 0 ? "dashed" : "solid";
    });
    entry.values.replaceChildren(...entry.lines.map((line) => line.value));
    const css = (name) => getComputedStyle(this.viewer.root).getPropertyValue(name).trim();
    const axis = { stroke: () => css("--muted"), grid: { stroke: () => css("--rule"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    entry.plot = new uPlot(
      {
        width: Math.max(80, this.list.clientWidth - 18 || 280), height: HEIGHT, legend: { show: false }, padding: [6, 8, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
        scales: { x: { time: false }, y: { range: (_, low, high) => padded(low, high) } },
        axes: [{ ...axis, size: 22, space: 60 }, { ...axis, size: 46, space: 26, values: (_, ticks) => ticks.map((tick) => short(tick, 4)) }],
        series: [{}, ...entry.lines.map((line) => ({ stroke: line.colour, width: 1.6, dash: line.dash, points: { show: false }, spanGaps: false }))],
        hooks: { draw: [(plot) => this.drawPlayhead(plot)] },
      },
      [[0], ...entry.lines.map(() => [null])],
      entry.holder,
    );
    entry.plot.over.addEventListener("click", (event) => this.viewer.seek(entry.plot.posToVal(event.offsetX, "x")));
  }

  drawPlayhead(plot) {
    const time = this.viewer.moment?.time ?? 0;
    const x = Math.round(plot.valToPos(time, "x", true)) + 0.5;
    const { left, top, width, height } = plot.bbox;
    if (x < left - 1 || x > left + width + 1) return;
    plot.ctx.save();
    plot.ctx.strokeStyle = getComputedStyle(this.viewer.root).getPropertyValue("--accent");
    plot.ctx.lineWidth = 1.5 * devicePixelRatio;
    plot.ctx.setLineDash([]);
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, top);
    plot.ctx.lineTo(x, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  /** Values of a moment come in: keeps them, and draws what changed. */
  update(moment, now = false) {
    if (!moment) return;
    const { source } = this.viewer;
    if (source.live) this.history.append(moment, this.channels.map((channel) => channel.name));
    if (!this.shown) return;
    const clock = performance.now();
    clearTimeout(this.later);
    if (!now && clock - this.drawn < REDRAW) {
      // The last moment before a pause is drawn too.
      this.later = setTimeout(() => this.update(this.viewer.moment, true), REDRAW);
      return;
    }
    this.drawn = clock;
    for (const entry of this.entries) {
      entry.playhead = moment.time;
      if (source.live) this.drawLive(entry, moment);
      else this.drawRecorded(entry, source.recording, moment);
    }
  }

  drawLive(entry, moment) {
    const until = moment.edge ? moment.time : Math.max(moment.time, this.history.last);
    const data = this.history.window(entry.lines.map((line) => line.name), until - WINDOW, until);
    entry.plot.setData(data, false);
    entry.plot.setScale("x", { min: Math.max(this.history.first, until - WINDOW), max: Math.max(until, this.history.first + 0.5) });
    entry.lines.forEach((line) => this.sayValue(line, this.history.at(line.name, moment.time)));
  }

  drawRecorded(entry, recording, moment) {
    if (!entry.filled) {
      const count = recording.channels.length;
      const column = (k) => Array.from(recording.times, (_, i) => finite(recording.values[i * count + k]));
      entry.plot.setData([Array.from(recording.times), ...entry.lines.map((line) => column(line.index))]);
      entry.filled = true;
    } else entry.plot.redraw(false);
    entry.lines.forEach((line) => this.sayValue(line, moment.channels[line.index]));
  }

  sayValue(line, value) {
    const text = value === undefined || value === null ? "–" : short(value, 4);
    say(line.value, `${line.label ? `${line.label} ` : ""}${text}${line.unit ? ` ${line.unit}` : ""}`);
  }

  fitWidth() {
    const width = this.list.clientWidth - 18;
    if (width < 60) return;
    for (const { plot } of this.entries) if (plot.width !== width) plot.setSize({ width, height: HEIGHT });
  }

  /** The channels that are known so far as comma separated values: time, then a column each. */
  csv() {
    const { source } = this.viewer;
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const title = ({ name, unit, layer }) => quoted(`${layer ? `${layer}: ` : ""}${name}${unit ? ` [${unit}]` : ""}`);
    if (source.live) {
      const names = this.history.names;
      const channel = (name) => this.channels.find((other) => other.name === name) ?? { name };
      const rows = this.history.times.map((time, k) => [time, ...names.map((name) => this.history.columns.get(name)[k] ?? "")].join(","));
      return [["t [s]", ...names.map((name) => title(channel(name)))].join(","), ...rows, ""].join("\n");
    }
    const { times, values, channels } = source.recording;
    const rows = Array.from(times, (time, k) => [time, ...values.subarray(k * channels.length, (k + 1) * channels.length)].join(","));
    return [["t [s]", ...channels.map(title)].join(","), ...rows, ""].join("\n");
  }

  /** Channels of another scene: closes plots of channels that are gone. */
  channelsChanged() {
    for (const entry of [...this.entries]) {
      const known = entry.names.filter((name) => this.names.includes(name));
      if (known.length === 0) this.remove(entry);
      else if (known.length !== entry.names.length || entry.lines.length === 0) this.build(entry);
    }
  }

  dispose() {
    clearTimeout(this.later);
    this.resize.disconnect();
    for (const { plot } of this.entries) plot?.destroy();
  }
}

/** What names begin with alike, up to a slash. */
function shared(names) {
  const parts = names[0].split("/");
  let count = names.length > 1 ? parts.length - 1 : 0;
  const begins = () => parts.slice(0, count).map((part) => `${part}/`).join("");
  while (count > 0 && !names.every((name) => name.startsWith(begins()))) count -= 1;
  return begins();
}

/** Names in one: what they share once. */
function together(names) {
  const begin = shared(names);
  return begin + names.map((name) => name.slice(begin.length)).join(", ");
}

function padded(low, high) {
  if (low === null || high === null) return [0, 1];
  const margin = 0.08 * (high - low) || 0.05 * Math.abs(high) || 0.5;
  return [low - margin, high + margin];
}

function finite(value) {
  return Number.isFinite(value) ? value : null;
}
