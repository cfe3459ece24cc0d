// The bar below the scene: play, step, reset, the time, and how fast it runs.

import { button, element, hasFocus, relabel, say } from "./dom.js";

/** Simulated seconds a second. */
export const SPEEDS = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

export class Transport {
  constructor(viewer) {
    this.viewer = viewer;
    this.play = button("Play (Space)", "play", () => viewer.togglePlay(), { class: "primary" });
    this.time = element("output", { class: "time", "aria-label": "Time" });
    this.scrub = element("input", { type: "range", class: "scrub", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time shown [s]", oninput: () => viewer.seek(Number(this.scrub.value)) });
    this.scrub.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (steps) {
        event.preventDefault();
        viewer.step(steps);
      }
    });
    this.speed = element("select", { class: "speed", "aria-label": "Speed, in simulated seconds a second", title: "Speed (− and =)", onchange: () => viewer.setSpeed(Number(this.speed.value)) },
      SPEEDS.map((speed) => element("option", { value: String(speed), text: speed < 1 ? `1/${1 / speed}×` : `${speed}×` })));
    this.rate = element("output", { class: "rate", title: "How fast it really runs", "aria-label": "True speed" });
    this.edge = element("button", { type: "button", class: "edge", text: "Live", title: "Go to the newest state and play", onclick: () => viewer.playNewest() });
    this.root = element("div", { class: "transport", role: "toolbar", "aria-label": "Time" },
      button("Reset (Backspace)", "reset", () => viewer.reset()),
      button("One step back (←)", "back", () => viewer.step(-1)),
      this.play,
      button("One step (→)", "step", () => viewer.step(1)),
      this.time, this.scrub, this.rate, this.speed, this.edge,
      (this.plots = button("Plots (F3)", "plots", () => viewer.togglePlots(), { class: "plots-button" })),
      button("Panels (Tab)", "panels", () => viewer.togglePanels(), { class: "panels-button" }),
      button("Help (F1)", "help", () => viewer.toggleHelp()));
  }

  update(moment, source) {
    const playing = source.playing;
    relabel(this.play, playing ? "Pause (Space)" : "Play (Space)", playing ? "pause" : "play");
    this.root.dataset.playing = playing;
    say(this.time, `${moment.time.toFixed(source.live ? 2 : 3)} s`);
    // The user's own hand on the slider is not moved.
    if (!hasFocus(this.scrub) || playing) {
      this.scrub.min = moment.first;
      this.scrub.max = Math.max(moment.last, moment.first + 1e-3);
      this.scrub.value = moment.time;
    }
    this.scrub.setAttribute("aria-valuetext", `${moment.time.toFixed(3)} seconds`);
    const span = this.scrub.max - this.scrub.min;
    this.scrub.style.setProperty("--part", `${span > 0 ? (100 * (moment.time - this.scrub.min)) / span : 0}%`);
    say(this.rate, playing ? `${moment.rate.toFixed(moment.rate < 0.1 ? 3 : 2)}×` : "paused");
    this.edge.hidden = !source.live;
    this.plots.hidden = source.settings.channels.length === 0;
    this.edge.dataset.on = moment.edge && playing;
    const speed = String(SPEEDS.reduce((a, b) => (Math.abs(Math.log(b / source.speed)) < Math.abs(Math.log(a / source.speed)) ? b : a)));
    if (this.speed.value !== speed && !hasFocus(this.speed)) this.speed.value = speed;
  }
}
