// A slider with a number beside it. Values that span decades move by their logarithm.

import { element, hasFocus, short } from "./dom.js";

/** Positions of a slider. */
const POSITIONS = 1000;

export class Slider {
  /** `limits` are the lowest and highest value; `onchange` gets the new one. */
  constructor({ label, unit = "", limits: [lowest, highest], value, onchange, title = "" }) {
    this.limits = [lowest, highest];
    this.logarithmic = lowest > 0 && highest / lowest > 50;
    this.onchange = onchange;
    const name = `${label}${unit ? ` [${unit}]` : ""}`;
    this.range = element("input", { type: "range", min: 0, max: POSITIONS, step: 1, "aria-label": name, oninput: () => this.change(this.valueAt(Number(this.range.value))) });
    this.number = element("input", { type: "number", step: "any", "aria-label": `${name}, as a number`, onchange: () => {
      const typed = this.number.valueAsNumber;
      if (Number.isFinite(typed)) this.change(typed);
    } });
    this.root = element("div", { class: "slider", title }, element("span", { class: "slider-name", text: label }), this.number, element("span", { class: "slider-unit", text: unit }), this.range);
    this.range.addEventListener("pointerdown", () => (this.held = true));
    for (const name of ["pointerup", "pointercancel", "blur"]) this.range.addEventListener(name, () => (this.held = false));
    this.show(value);
  }

  change(value) {
    this.onchange(value);
    this.changed = performance.now();
    this.show(value);
  }

  valueAt(position) {
    const [a, b] = this.limits;
    const part = position / POSITIONS;
    return this.logarithmic ? a * (b / a) ** part : a + (b - a) * part;
  }

  show(value) {
    this.value = value;
    const [a, b] = this.limits;
    const part = this.logarithmic ? Math.log(Math.max(value, a) / a) / Math.log(b / a) : (value - a) / (b - a || 1);
    const position = String(Math.round(POSITIONS * Math.min(1, Math.max(0, part || 0))));
    if (this.range.value !== position) this.range.value = position;
    this.range.style.setProperty("--part", `${Number(position) / 10}%`);
    const text = short(value, 4).replaceAll("−", "-").replace(/[^0-9.e+-]/g, "");
    if (!hasFocus(this.number) && this.number.value !== text) this.number.value = text;
    this.range.setAttribute("aria-valuetext", text);
  }

  /** The value that the simulation has now, unless the user has just moved the slider. */
  follow(value) {
    if (!this.held && performance.now() - (this.changed ?? 0) > 400) this.show(value);
  }
}
