// The panels on the right: what is shown, the simulation, joints, actuators and parameters, and what can be saved.

import { element, say, short } from "./dom.js";
import { Slider } from "./slider.js";

/** Sliders follow the simulation this often [ms]. */
const FOLLOW = 100;
/** Range of the slider of a joint without limits [rad or m]. */
const FREE_RANGE = { revolute: [-Math.PI, Math.PI], prismatic: [-1, 1] };

export const SWITCHES = [
  ["points", "Contact points", "C"], ["forces", "Contact forces", "F"], ["frames", "Frames", "F6"], ["centres", "Centres of mass", "M"],
  ["inertia", "Boxes of equal inertia", "I"], ["axes", "Joint axes", "J"], ["transparent", "See through bodies", "T"], ["shadows", "Shadows", "S"], ["grid", "Ground grid", ""],
];

export class Panels {
  constructor(viewer) {
    this.viewer = viewer;
    this.body = element("div", { class: "panel-body" });
    this.root = element("aside", { class: "panels", "aria-label": "Panels", tabindex: -1 }, this.body);
    this.open = new Map();
    this.followed = 0;
  }

  /** Builds all panels for the scene. */
  build() {
    const { viewer } = this;
    const live = viewer.source.live;
    this.body.replaceChildren(
      ...(viewer.effects ? [(this.effectsSection = this.section("Networks", true, this.effectsPart()))] : []),
      this.section("Show", true, this.showPart()),
      ...(viewer.layers.layers.length > 1 ? [this.section("Motions", true, this.layersPart())] : []),
      ...(viewer.vectors?.sets.length ? [this.section("Arrows", true, this.arrowsPart())] : []),
      ...(viewer.worlds > 1 ? [this.section("Worlds", true, this.worldsPart())] : []),
      ...(live ? [(this.simulation = this.section("Simulation", true, []))] : []),
      ...(live ? [(this.parameters = this.section("Parameters", true, []))] : []),
      ...(live ? [(this.actuators = this.section("Actuators", viewer.scene.actuators.length <= 12, this.actuatorsPart()))] : []),
      ...(live ? [(this.joints = this.section("Joints", false, this.jointsPart()))] : []),
      this.section("Chosen body", true, this.bodyPart()),
      this.section("Save", false, this.savePart()),
      ...(viewer.scene.notes?.length ? [this.section("Notes", true, viewer.scene.notes.map((text) => element("p", { class: "note", text })))] : []),
    );
    if (live) this.settingsChanged(viewer.source.settings);
    for (const part of [this.actuators, this.joints]) if (part && part.children.length < 2) part.hidden = true;
  }

  section(title, open, children) {
    const details = element("details", { open: this.open.get(title) ?? open, ontoggle: () => this.open.set(title, details.open) }, element("summary", { text: title }), children);
    return details;
  }

  showPart() {
    const { viewer } = this;
    this.switches = {};
    const box = (label, checked, change, key) => {
      const input = element("input", { type: "checkbox", checked, onchange: () => change(input.checked) });
      const root = element("label", { class: "switch" }, input, element("span", { text: label }), key ? element("kbd", { text: key }) : null);
      return [root, input];
    };
    const boxes = SWITCHES.map(([name, label, key]) => {
      const [root, input] = box(label, viewer.shown[name], () => viewer.toggle(name), key);
      this.switches[name] = input;
      return root;
    });
    const [follow, followInput] = box("Camera follows", viewer.orbit.following, (on) => viewer.setFollowing(on), "");
    this.switches.follow = followInput;
    this.roles = element("select", { "aria-label": "Geometry", onchange: () => viewer.setRoles(this.roles.value) },
      [["visual", "Visual geometry"], ["collision", "Collision geometry"], ["both", "Both geometries"]].map(([value, text]) => element("option", { value, text })));
    this.roles.value = viewer.roles;
    const size = new Slider({ label: "Length of arrows", limits: [0.1, 10], value: viewer.larger, onchange: (value) => viewer.setLarger(value) });
    return [element("div", { class: "row" }, this.roles, element("kbd", { text: "G" })), ...boxes, follow, size.root];
  }

  layersPart() {
    this.layerBoxes = new Map();
    return this.viewer.layers.layers.map((layer) => {
      const input = element("input", { type: "checkbox", checked: layer.visible, onchange: () => this.viewer.showLayer(layer.name, input.checked) });
      this.layerBoxes.set(layer.name, input);
      const swatch = element("span", { class: `swatch${layer.look?.hatched ? " hatched" : ""}${layer.look ? "" : " own"}` });
      swatch.style.setProperty("--swatch", layer.colour ?? "var(--muted)");
      return element("label", { class: "switch" }, input, swatch, element("span", { text: layer.name }));
    });
  }

  arrowsPart() {
    return this.viewer.vectors.sets.map((set) => {
      const input = element("input", { type: "checkbox", checked: set.visible, onchange: () => {
        set.visible = input.checked;
        this.viewer.needsDrawing();
      } });
      const swatch = element("span", { class: "swatch" });
      swatch.style.setProperty("--swatch", `#${set.colour.getHexString()}`);
      const explained = set.text ? [element("p", { class: "note", text: set.text })] : [];
      return [element("label", { class: "switch", title: `largest: ${short(set.largest)} ${set.unit ?? ""}` }, input, swatch, element("span", { text: `${set.name}${set.unit ? ` [${set.unit}]` : ""}` })), ...explained];
    }).flat();
  }

  /** What networks do now: each quantity without the network and with it, and each site can be hidden. */
  effectsPart() {
    const { effects, source } = this.viewer;
    const explained = element("p", { class: "note", text: "What the networks of the fitted model change: without the network → with it." });
    this.changeRows = source.recording.changes.map((change, index) => ({ ...change, index, value: element("span", { class: "effect-value" }) }));
    const box = (site, rows) => {
      const swatch = element("span", { class: "swatch" });
      const input = site && element("input", { type: "checkbox", checked: site.visible, onchange: () => {
        site.visible = input.checked;
        this.viewer.needsDrawing();
      } });
      if (site) swatch.style.setProperty("--swatch", `#${site.colour.getHexString()}`);
      const by = rows[0]?.network ? element("p", { class: "hint-text", text: `by the network “${rows[0].network}”` }) : null;
      const title = site ? element("label", { class: "switch" }, input, swatch, element("span", { class: "effect-name", text: site.name })) : element("span", { class: "effect-name", text: rows[0].name });
      const single = rows.length === 1 && (!site || rows[0].name === site.name);
      const values = rows.map((row) => element("div", { class: "effect-row" }, single ? null : element("span", { text: row.name.split("/").pop() }), row.value));
      return element("div", { class: "effect" }, title, by, ...values);
    };
    const drawn = effects.sites.map((site, k) => box(site, this.changeRows.filter((row) => row.site === k)));
    const others = this.changeRows.filter((row) => row.site === null).map((row) => box(null, [row]));
    return [explained, ...drawn, ...others];
  }

  sayEffects(moment) {
    const { recording } = this.viewer.source;
    for (const { index, unit, value } of this.changeRows) {
      const [before, change] = recording.changeAt(moment.index, index);
      say(value, Number.isFinite(change) ? `${short(before)} → ${short(before + change)}${unit ? ` ${unit}` : ""}` : "not acting now");
    }
  }

  worldsPart() {
    const { viewer } = this;
    this.world = element("select", { "aria-label": "World that is followed", onchange: () => viewer.follow(Number(this.world.value)) },
      Array.from({ length: viewer.worlds }, (_, k) => element("option", { value: String(k), text: `World ${k + 1}` })));
    return [element("div", { class: "row" }, this.world, element("span", { class: "hint-text", text: "or click on one" }))];
  }

  bodyPart() {
    const { viewer } = this;
    this.chosen = element("select", { "aria-label": "Chosen body", onchange: () => viewer.select(viewer.followed, this.chosen.value === "" ? null : Number(this.chosen.value)) },
      element("option", { value: "", text: "none" }), viewer.scene.bodies.slice(1).map((name, k) => element("option", { value: String(k + 1), text: name })));
    this.trail = element("input", { type: "checkbox", onchange: () => viewer.toggleTrail() });
    this.facts = element("p", { class: "facts", "aria-live": "polite" });
    return [this.chosen, element("label", { class: "switch" }, this.trail, element("span", { text: "Leave a trail" }), element("kbd", { text: "L" })), this.facts];
  }

  savePart() {
    const { viewer } = this;
    const save = (text, title, action) => element("button", { type: "button", text, title, onclick: action });
    this.film = save("Video", "Records a WebM until pressed again", () => viewer.saveVideo());
    return [element("div", { class: "buttons" },
      save("Picture", "PNG of the scene", () => viewer.savePicture()), this.film,
      save("Scene", "GLB of the bodies, with their motion if it is a recording", () => viewer.saveScene()),
      save("Channels", "CSV of all channels that were recorded or plotted", () => viewer.saveChannels()))];
  }

  actuatorsPart() {
    const { viewer } = this;
    this.actuatorSliders = viewer.scene.actuators.map(({ name, range }, index) =>
      new Slider({ label: name, limits: range ?? [-1, 1], value: 0, onchange: (value) => viewer.source.send({ actuator: { index, value } }) }));
    const zero = element("button", { type: "button", text: "All to zero", onclick: () => this.actuatorSliders.forEach((slider) => slider.change(Math.min(slider.limits[1], Math.max(slider.limits[0], 0)))) });
    return this.actuatorSliders.length ? [...this.actuatorSliders.map((slider) => slider.root), element("div", { class: "buttons" }, zero)] : [];
  }

  jointsPart() {
    const { viewer } = this;
    this.jointSliders = viewer.scene.joints.filter((joint) => joint.nq === 1).map((joint) => {
      const kind = /prismatic|slide/i.test(joint.kind) ? "prismatic" : "revolute";
      const limits = joint.limits && joint.limits.every(Number.isFinite) && joint.limits[1] > joint.limits[0] ? joint.limits : FREE_RANGE[kind];
      const slider = new Slider({ label: joint.name, unit: kind === "prismatic" ? "m" : "rad", limits, value: 0, onchange: (value) => viewer.source.send({ joint: { q: joint.q, value } }) });
      slider.q = joint.q;
      return slider;
    });
    return this.jointSliders.map((slider) => slider.root);
  }

  /** Settings of a live simulation came in. Rebuilds a part only if what it offers has changed. */
  settingsChanged(settings) {
    if (!this.simulation) return;
    const key = JSON.stringify([settings.solver, settings.solvers, settings.time_step, settings.gravity]);
    if (key !== this.simulationKey || this.simulation.children.length < 2) this.buildSimulation(settings, key);
    const parameters = settings.parameters ?? [];
    const names = JSON.stringify(parameters.map(({ name, lowest, highest }) => [name, lowest, highest]));
    if (names !== this.parameterNames || this.parameters.children.length < 2) {
      this.parameterNames = names;
      this.parameterSliders = parameters.map(({ name, unit, lowest, highest, value }) =>
        new Slider({ label: name, unit, limits: [lowest, highest], value, onchange: (next) => this.viewer.source.send({ parameter: { name, value: next } }) }));
      const filter = element("input", { type: "search", placeholder: "Find a parameter…", "aria-label": "Find a parameter", oninput: () => {
        const parts = filter.value.toLowerCase().split(/\s+/);
        this.parameterSliders.forEach((slider, k) => (slider.root.hidden = !parts.every((part) => parameters[k].name.toLowerCase().includes(part))));
      } });
      this.parameters.replaceChildren(this.parameters.firstElementChild, ...(parameters.length > 6 ? [filter] : []), ...this.parameterSliders.map((slider) => slider.root));
      this.parameters.hidden = parameters.length === 0;
    }
    parameters.forEach(({ value }, k) => this.parameterSliders[k]?.follow(value));
  }

  buildSimulation(settings, key) {
    // The element that has the focus is not replaced while the user types in it.
    const focus = this.root.getRootNode().activeElement;
    if (this.simulation.contains(focus) && focus.matches("input") && this.simulation.children.length > 1) return;
    this.simulationKey = key;
    const { source, scene } = this.viewer;
    const rows = [];
    const row = (label, ...controls) => rows.push(element("div", { class: "row" }, element("span", { class: "row-name", text: label }), ...controls));
    if (settings.solvers?.length) {
      const solver = element("select", { "aria-label": "Contact solver", onchange: () => source.send({ solver: solver.value }) }, settings.solvers.map((name) => element("option", { value: name, text: name })));
      solver.value = settings.solver;
      row("Solver", solver);
    }
    if (settings.time_step) {
      const step = element("input", { type: "number", min: 0.01, step: "any", "aria-label": "Time step [ms]", onchange: () => step.valueAsNumber > 0 && source.send({ time_step: step.valueAsNumber / 1000 }) });
      step.value = String(+(1000 * settings.time_step).toPrecision(6));
      row("Time step", step, element("span", { class: "slider-unit", text: "ms" }));
    }
    if (settings.gravity) {
      const inputs = settings.gravity.map((value, k) => element("input", { type: "number", step: "any", value: String(+value.toPrecision(6)), "aria-label": `Gravity along ${"xyz"[k]} [m/s²]`, onchange: () => {
        const next = inputs.map((input) => input.valueAsNumber);
        if (next.every(Number.isFinite)) source.send({ gravity: next });
      } }));
      row("Gravity", ...inputs, element("span", { class: "slider-unit", text: "m/s²" }));
    }
    if (scene.keyframes?.length) {
      row("Keyframes", element("span", { class: "buttons" }, scene.keyframes.map((name) => element("button", { type: "button", text: name, title: `Reset to ${name}`, onclick: () => source.reset(name) }))));
    }
    this.simulation.replaceChildren(this.simulation.firstElementChild, ...rows);
  }

  /** Sliders and numbers follow a moment. */
  update(moment) {
    const now = performance.now();
    clearTimeout(this.later);
    if (this.root.hidden) return;
    if (now - this.followed < FOLLOW) {
      // The last moment before a pause is shown too.
      this.later = setTimeout(() => this.update(this.viewer.moment), FOLLOW);
      return;
    }
    this.followed = now;
    if (this.effectsSection?.open) this.sayEffects(moment);
    if (this.joints?.open) for (const slider of this.jointSliders) if (slider.q < moment.q.length) slider.follow(moment.q[slider.q]);
    if (this.actuators?.open) this.actuatorSliders.forEach((slider, k) => k < moment.u.length && slider.follow(moment.u[k]));
  }

  /** Shows the state of the viewer on switches and lists. */
  refresh() {
    const { viewer } = this;
    if (!this.switches) return;
    for (const [name] of SWITCHES) this.switches[name].checked = viewer.shown[name];
    this.switches.follow.checked = viewer.orbit.following;
    this.roles.value = viewer.roles;
    for (const layer of viewer.layers.layers) if (this.layerBoxes?.has(layer.name)) this.layerBoxes.get(layer.name).checked = layer.visible;
    const { body } = viewer.selected;
    this.chosen.value = body === null ? "" : String(body);
    this.trail.checked = body !== null && viewer.overlays.trails.has(body);
    this.trail.disabled = body === null;
    const mass = viewer.scene.masses.find((entry) => entry.body === body);
    this.facts.textContent = body === null ? "Click on a body, or press ] to go through them." : mass ? `Mass ${short(mass.mass, 4)} kg` : "";
    if (this.world) this.world.value = String(viewer.followed);
    this.film.textContent = viewer.filming ? "End video" : "Video";
    this.film.dataset.on = Boolean(viewer.filming);
  }
}
