// One viewer in one element: brings scene, source, panels and plots together and draws when there is something new.

import { Color, Vector3 } from "three";

import { VectorSets } from "./arrows.js";
import { Arrows } from "./arrow.js";
import { Orbit } from "./camera.js";
import { Contacts, COLOURS } from "./contacts.js";
import { element, hasFocus, say, short } from "./dom.js";
import { Pointer } from "./drag.js";
import { Effects } from "./effects.js";
import { Film, download, picture, sceneFile } from "./export.js";
import { helpDialog } from "./help.js";
import { listen } from "./keys.js";
import { Layers } from "./layers.js";
import { Live } from "./live.js";
import { Overlays } from "./overlays.js";
import { Panels } from "./panels.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { readRecording } from "./recording.js";
import { Shapes } from "./shapes.js";
import { Stage } from "./stage.js";
import { leadOf, survey } from "./survey.js";
import { Trails } from "./trails.js";
import { SPEEDS, Transport } from "./transport.js";
import { gridOffsets } from "./worlds.js";

const SPRING = new Color("#d6336c");
const ROLES = ["visual", "collision", "both"];
/** The hint stays until the user has done what it says, or this long after anything else was done [ms]. */
const HINT = 14_000;

export class Viewer {
  /** A `plain` viewer says no title; `onTime` is told the time of each picture. */
  constructor(root, { theme = null, panels = null, quality = null, plain = false, onTime = null } = {}) {
    this.root = root;
    this.plain = plain;
    this.onTime = onTime;
    // Ends what listens to more than the viewer's own elements.
    this.ended = new AbortController();
    this.embedded = !document.documentElement.classList.contains("gradbody-page");
    this.shown = { points: true, forces: true, frames: false, centres: false, inertia: false, axes: false, transparent: false, shadows: true, grid: true };
    this.roles = "visual";
    this.larger = 1;
    this.worlds = 1;
    this.followed = 0;
    this.offsets = [[0, 0, 0]];
    this.selected = { world: 0, body: null };
    this.moment = null;
    this.stats = { frames: 0, script: 0 };
    this.theme = theme;
    this.quality = quality ?? new URLSearchParams(location.search).get("quality");
    this.build(panels);
  }

  build(panels) {
    this.canvas = element("canvas", { tabindex: 0, class: "scene", "aria-label": "Scene in three dimensions. Keys: F1 for help." });
    this.info = element("div", { class: "info", role: "status", "aria-live": "off" });
    this.title = element("strong", {});
    this.facts = element("span", { class: "facts-line" });
    this.caption = element("span", { class: "caption" });
    this.info.append(this.title, this.facts, this.caption);
    this.hint = element("div", { class: "hint", hidden: true });
    this.note = element("div", { class: "note-line", role: "status", hidden: true });
    this.problem = element("div", { class: "problem", role: "alert", hidden: true });
    this.legend = element("div", { class: "legend", "aria-label": "What contact marks mean", hidden: true });
    this.label = element("div", { class: "pull-label", hidden: true });
    this.cover = element("div", { class: "cover", role: "status" }, element("p", { text: "Loading…" }));
    this.ghosts = element("div", { class: "ghosts", role: "group", "aria-label": "Motions", hidden: true });
    this.transport = new Transport(this);
    this.panels = new Panels(this);
    this.plots = new Plots(this);
    this.root.classList.add("gradbody-viewer");
    this.view = element("div", { class: "view" }, this.canvas, this.info, this.ghosts, this.legend, this.label, this.hint, this.note, this.problem, this.cover);
    this.root.replaceChildren(element("div", { class: "middle" }, this.plots.root, this.view, this.panels.root), this.transport.root);
    this.panels.root.hidden = panels === null ? this.embedded || this.root.clientWidth < 760 : !panels;
    try {
      this.stage = new Stage(this.canvas, this.quality);
    } catch {
      throw this.fail("This browser has no WebGL, which the scene is drawn with. Try another browser, or turn on hardware acceleration.");
    }
    this.orbit = new Orbit(this.stage.camera);
    this.contacts = new Contacts();
    this.spring = new Arrows({ through: true });
    this.stage.scene.add(this.contacts.group, this.spring.group);
    this.pointer = new Pointer(this.canvas, this);
    listen(this.embedded ? this.root : document, this.canvas, this, this.ended.signal);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const applyTheme = () => {
      const name = this.theme ?? (dark.matches ? "dark" : "light");
      this.root.dataset.theme = name;
      this.stage.setTheme(name);
      this.needsDrawing();
    };
    dark.addEventListener("change", applyTheme, { signal: this.ended.signal });
    applyTheme();
    this.observer = new ResizeObserver(() => this.fitSize());
    this.observer.observe(this.view);
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      if (this.disposed) return;
      this.fail("The graphics card was lost. Load the page again.");
    });
    // Pictures of an embedded player that is not in sight are not drawn.
    this.visible = true;
    this.sight = new IntersectionObserver(([entry]) => {
      this.visible = entry.isIntersecting;
      this.needsDrawing();
    });
    this.sight.observe(this.root);
    this.loop = this.loop.bind(this);
    requestAnimationFrame(this.loop);
  }

  // Sources.

  async openRecording(text, scene = null, kept = null) {
    const recording = await readRecording(text, scene);
    this.source = new Player(recording);
    if (!this.plain) {
      this.title.textContent = recording.header.title ?? recording.scene.name;
      this.caption.textContent = recording.header.caption ?? "";
    }
    this.setScene(recording.scene, recording.worlds);
    if (kept) return this.goOn(kept);
    if ((recording.header.plots?.length || recording.changes.length) && !this.embedded && this.root.clientWidth >= 1000) this.plots.show(true);
    this.source.play(!matchMedia("(prefers-reduced-motion: reduce)").matches && recording.times.length > 1);
  }

  /** What a viewer of the same recording needs to go on where this one is. */
  get kept() {
    const { time, playing, speed } = this.source;
    const { azimuth, elevation, distance, target } = this.orbit;
    const hidden = this.layers.layers.filter((layer) => !layer.visible).map((layer) => layer.name);
    return { time, playing, speed, camera: this.looked ? { azimuth, elevation, distance } : null, target: target.toArray(), hidden };
  }

  goOn({ time, playing, speed, camera, target, hidden }) {
    Object.assign(this.source, { time, playing, speed });
    if (camera) {
      Object.assign(this.orbit, camera);
      this.orbit.target.set(...target);
      this.looked = true;
    }
    for (const name of hidden) this.showLayer(name, false);
    this.needsDrawing();
  }

  openSocket(address) {
    this.source = new Live(address, {
      scene: (scene) => {
        this.pendingScene = scene;
        this.title.textContent = scene.name;
      },
      settings: (settings) => this.applySettings(settings),
      state: (state) => this.connection(state),
      problem: (text) => this.fail(text),
    });
  }

  connection(state) {
    this.root.dataset.connection = state;
    if (state !== "open") {
      this.cover.hidden = false;
      this.cover.firstChild.textContent = state === "connecting" ? "Connecting…" : "The simulation has gone. Waiting for it…";
      this.cover.dataset.kind = state;
    }
  }

  applySettings(settings) {
    if (settings.error) this.fail(settings.error);
    else this.problem.hidden = true;
    if (settings.message && settings.message !== this.lastMessage) this.say(settings.message);
    this.lastMessage = settings.message;
    if (Number.isInteger(settings.followed) && settings.followed !== this.followed && settings.followed < this.worlds) {
      this.followed = settings.followed;
      this.lookFromFollowed = true;
    }
    this.plots.channelsChanged();
    this.panels.settingsChanged(settings);
    this.needsDrawing();
  }

  // The scene.

  setScene(scene, worlds) {
    const again = Boolean(this.scene);
    const structure = JSON.stringify([scene.bodies, scene.joints.map(({ name, limits }) => [name, limits]), scene.actuators, scene.keyframes, scene.notes, worlds]);
    // A slider that changes a size gets a scene with the same panels, which the user may be holding.
    const same = structure === this.structure;
    this.structure = structure;
    const trails = [...(same ? this.overlays.trails.keys() : [])];
    this.scene = scene;
    this.worlds = worlds;
    this.offsets = gridOffsets(worlds, 1);
    this.layers?.dispose();
    this.overlays?.dispose();
    this.vectors?.dispose();
    this.effects?.dispose();
    this.paths?.dispose();
    this.shapes?.dispose();
    this.shapes = new Shapes(scene.meshes, { high: 1, low: 0.7, draft: 0.3 }[this.stage.quality]);
    const { recording } = this.source;
    const layers = recording?.layers ?? [{ name: scene.name, ghost: false, colour: null }];
    this.moment = this.source.take();
    this.layers = new Layers(layers, scene, this.shapes, worlds, this.lookOptions());
    this.overlays = new Overlays(scene);
    Object.assign(this.overlays.shown, this.shown);
    this.stage.scene.add(this.layers.group, this.overlays.group);
    if (recording?.arrows.length) {
      this.vectors = new VectorSets(recording.arrows, scene);
      this.stage.scene.add(this.vectors.group);
    } else this.vectors = null;
    this.effects = recording?.effectSites.length ? new Effects(recording.effectSites, recording.effects) : null;
    this.paths = recording?.trails.length ? new Trails(recording, this.layers.layers) : null;
    for (const part of [this.effects, this.paths]) if (part) this.stage.scene.add(part.group);
    this.measure(recording);
    this.nameLayers();
    if (!again) this.frameAll();
    this.plots.channelsChanged();
    if (!same) {
      this.selected = { world: 0, body: null };
      this.panels.build();
    }
    for (const body of trails) this.overlays.trail(body, true);
    this.layers.main.bodies.highlight(this.selected.world, this.selected.body);
    this.panels.refresh();
    this.cover.hidden = true;
    this.root.dataset.scene = scene.name;
    if (!again) this.startHint();
    this.needsDrawing();
  }

  /** Finds the size of the scene as it is now, and fits grid, arrows and worlds to it. */
  measure(recording) {
    this.place(this.moment);
    const [low, high] = this.layers.main.bodies.bounds(0) ?? [new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1)];
    this.extent = Math.max(high.clone().sub(low).length() * 0.62, 1e-3);
    this.triangles = this.layers.main.bodies.batches.reduce((sum, { mesh }) => sum + (mesh.count * (mesh.geometry.index ?? mesh.geometry.attributes.position).count) / 3, 0);
    this.offsets = gridOffsets(this.worlds, 1.8 * this.extent);
    if (recording && this.worlds === 1) this.surveyed = survey(recording, this.layers, (bodies) => leadOf(bodies, 0, Math.min(this.scene.bodies.length - 1, 1)));
    const lowest = this.surveyed?.box?.[0].z ?? low.z;
    const ground = this.scene.ground;
    this.stage.fit(this.extent, ground ?? Math.min(lowest, 0) - 1e-3 * this.extent, ground !== null);
    const weight = 9.81 * this.scene.masses.reduce((sum, mass) => sum + (mass.mass || 0), 0);
    this.contacts.fit(this.extent, weight);
    this.overlays.extent = this.extent;
    this.layers.layers.forEach((layer) => (layer.bodies.extent = this.extent));
    this.vectors?.fit(this.extent, recording);
    if (this.effects) this.effects.extent = this.extent;
    this.weight = weight;
    this.place(this.moment);
  }

  lookOptions() {
    return { roles: this.roles, transparent: this.shown.transparent, extent: this.extent ?? 1 };
  }

  /** Names the motions of a recording that has several, in their colours; each can be hidden. */
  nameLayers() {
    const { layers } = this.layers;
    this.ghosts.hidden = layers.length < 2;
    if (layers.length < 2) return;
    this.ghosts.replaceChildren(...layers.map((layer) => {
      const swatch = element("span", { class: `swatch${layer.look?.hatched ? " hatched" : ""}${layer.look ? "" : " own"}` });
      swatch.style.setProperty("--swatch", layer.colour ?? "var(--muted)");
      const button = element("button", { type: "button", "aria-pressed": String(layer.visible), title: `Show or hide: ${layer.name}`, onclick: () => this.showLayer(layer.name, !layer.visible) }, swatch, layer.name);
      button.dataset.layer = layer.name;
      return button;
    }));
  }

  showLayer(name, visible) {
    this.layers.show(name, visible);
    for (const button of this.ghosts.children) if (button.dataset.layer === name) button.setAttribute("aria-pressed", String(visible));
    this.panels.refresh();
    this.needsDrawing();
  }

  relook() {
    this.layers.rebuild(this.scene, this.shapes, this.worlds, this.lookOptions());
    this.hovered = undefined;
    this.needsDrawing();
  }

  frameAll() {
    if (!this.layers) return;
    const all = this.worlds === 1 ? this.surveyed?.box : null;
    const [low, high] = all ?? this.layers.main.bodies.bounds(this.followed) ?? [new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1)];
    const centre = low.clone().add(high).multiplyScalar(0.5);
    if (all) centre.add(leadOf(this.layers.main.bodies, 0, Math.min(this.scene.bodies.length - 1, 1)).sub(this.surveyed.first));
    // A flat motion rarely reaches the corners of its box.
    let extent = all ? Math.max(0.7 * this.extent, (this.surveyed.view ? 0.42 : 0.5) * high.clone().sub(low).length()) : this.extent;
    if (this.worlds > 1) {
      const last = this.offsets[this.worlds - 1];
      const columns = Math.ceil(Math.sqrt(this.worlds));
      const wide = this.offsets[columns - 1]?.[0] ?? 0;
      if (this.followed === 0) centre.add(new Vector3(wide / 2, last[1] / 2, 0));
      extent = Math.max(this.extent, 0.45 * Math.hypot(wide + this.extent, last[1] + this.extent));
    }
    this.orbit.frame(centre, extent);
    this.orbit.extent = this.extent;
    if (this.worlds > 1) this.orbit.elevation = 0.55;
    Object.assign(this.orbit, this.surveyed?.view);
    this.needsDrawing();
  }

  /** Moves everything to where it is at a moment. */
  place(moment) {
    if (!moment) return;
    const { bodies } = this.layers.main;
    this.layers.update(moment.layers ?? [moment.poses], this.offsets);
    this.contacts.showPoints = this.shown.points;
    this.contacts.showForces = this.shown.forces;
    this.contacts.larger = this.larger;
    this.contacts.update(moment.contacts, this.offsets);
    this.overlays.update(bodies, this.followed);
    this.overlays.extendTrails(bodies, this.followed, moment.time);
    if (this.vectors) {
      this.vectors.larger = this.larger;
      this.vectors.update(moment.vectors, bodies);
    }
    if (this.effects) {
      this.effects.larger = this.larger;
      this.effects.update(moment.effects, bodies);
    }
    this.paths?.update(moment.time, this.layers.layers);
    this.placeSpring(moment);
  }

  placeSpring(moment) {
    const [state, , x, y, z, fx, fy, fz] = moment.drag;
    this.spring.begin();
    const offset = this.offsets[this.followed] ?? [0, 0, 0];
    const pull = this.pointer.pull ?? this.keyPull;
    if (state > 0 || pull) {
      const anchor = state > 0 ? [x + offset[0], y + offset[1], z + offset[2]] : pull.point;
      const target = pull?.target ?? anchor.map((a, k) => a + [fx, fy, fz][k] * this.contacts.scale);
      this.spring.add(anchor, target.map((t, k) => t - anchor[k]), 0.008 * this.extent, SPRING);
      this.pulling = { anchor, target, force: state > 0 ? [fx, fy, fz] : [0, 0, 0], bounded: state === 2 };
    } else this.pulling = null;
    this.spring.end();
  }

  // Drawing.

  needsDrawing() {
    this.stale = true;
  }

  loop(now) {
    if (this.disposed) return;
    requestAnimationFrame(this.loop);
    const seconds = Math.min(0.1, (now - (this.lastTime ?? now)) / 1000);
    this.lastTime = now;
    if (!this.source || this.frozen || !this.visible) return;
    if (this.source.live) {
      if (this.source.fresh) this.stale = true;
    } else if (this.source.playing) {
      this.source.advance(seconds);
      this.stale = true;
    }
    if (this.keyPull || this.filming) this.stale = true;
    if (!this.stale || document.hidden) return;
    this.drawNow(seconds);
    this.filming?.frame(now);
  }

  /** Draws the newest moment. */
  drawNow(seconds) {
    const start = performance.now();
    const moment = this.source.take();
    if (this.pendingScene && moment && moment.bodies === this.pendingScene.bodies.length) {
      const scene = this.pendingScene;
      this.pendingScene = null;
      this.setScene(scene, moment.worlds);
    }
    if (!moment || !this.scene || this.pendingScene) return;
    if (moment.worlds !== this.worlds || moment.bodies !== this.scene.bodies.length) {
      if (moment.bodies !== this.scene.bodies.length) return;
      this.setScene(this.scene, moment.worlds);
    }
    this.stale = false;
    this.moment = moment;
    this.place(moment);
    this.followBody(seconds);
    this.orbit.update();
    this.stage.lookAt(this.orbit.target, this.orbit.distance);
    this.describe(moment);
    this.transport.update(moment, this.source);
    this.panels.update(moment);
    this.plots.update(moment);
    this.onTime?.(moment.time);
    this.cover.hidden = this.source.live && this.root.dataset.connection !== "open" ? this.cover.hidden : true;
    const scripted = performance.now();
    this.stage.render();
    this.stats.frames += 1;
    this.stats.script += scripted - start;
    this.stats.calls = this.stage.renderer.info.render.calls;
    this.stats.triangles = this.stage.renderer.info.render.triangles;
  }

  /** The camera's target goes with the first body of the followed world. */
  followBody(seconds) {
    const body = Math.min(this.scene.bodies.length - 1, 1);
    const at = 12 * (this.followed * this.scene.bodies.length + body);
    const { matrices } = this.layers.main.bodies;
    const position = leadOf(this.layers.main.bodies, this.followed, body);
    if (!Number.isFinite(position.x + position.y + position.z)) return;
    if (this.pointer.pull) {
      this.orbit.lead = null;
      return;
    }
    if (this.lookFromFollowed) {
      this.lookFromFollowed = false;
      this.orbit.target.set(matrices[at + 3], matrices[at + 7], matrices[at + 11]);
      this.orbit.distance = Math.min(this.orbit.distance, 3 * this.extent);
      this.orbit.lead = null;
    }
    this.orbit.follow(position, seconds, !this.source.playing);
  }

  /** Writes what the moment is: energy, contacts, the pull. */
  describe(moment) {
    const count = moment.contacts.length / 8;
    const parts = [];
    if (Number.isFinite(moment.energy)) parts.push(`${moment.energy.toFixed(Math.abs(moment.energy) < 10 ? 3 : 1).replace("-", "−")} J`);
    if (count > 0) parts.push(`${count} ${count === 1 ? "contact" : "contacts"}`);
    if (this.worlds > 1) parts.push(`world ${this.followed + 1} of ${this.worlds}`);
    say(this.facts, parts.join("  ·  "));
    this.describeLegend(moment);
    const { pulling } = this;
    this.label.hidden = !pulling;
    if (pulling) {
      const at = new Vector3(...pulling.target).project(this.stage.camera);
      this.label.style.translate = `${(0.5 + at.x / 2) * this.view.clientWidth + 14}px ${(0.5 - at.y / 2) * this.view.clientHeight - 30}px`;
      const force = Math.hypot(...pulling.force);
      say(this.label, moment.paused ? "paused: press Space" : `${short(force)} N${pulling.bounded ? " (its limit)" : ""}`);
      this.label.dataset.bounded = pulling.bounded;
    }
  }

  describeLegend(moment) {
    const states = new Set();
    for (let k = 6; k < moment.contacts.length; k += 8) states.add(moment.contacts[k]);
    const key = this.shown.points || this.shown.forces ? [...states].sort().join() + this.larger : "";
    if (key === this.legendKey) return;
    this.legendKey = key;
    this.legend.hidden = key === "" || states.size === 0;
    const names = ["touching", "sticking", "sliding"];
    this.legend.replaceChildren(
      ...[1, 2, 0].filter((state) => states.has(state)).map((state) => {
        const mark = element("span", { class: `mark mark-${names[state]}` });
        mark.style.setProperty("--mark", `#${COLOURS[state].getHexString()}`);
        return element("span", {}, mark, names[state]);
      }),
      element("span", { class: "scale", text: this.shown.forces ? `${short(this.extent / (this.contacts.scale * this.larger * this.extent), 2)} N a metre` : "" }));
  }

  fitSize() {
    if (this.frozen) return;
    const { clientWidth: width, clientHeight: height } = this.view;
    if (width === 0 || height === 0) return;
    this.stage.resize(width, height);
    if (this.scene && !this.looked) this.frameAll();
    // A canvas that was resized is empty until it is drawn.
    if (this.scene) this.drawNow(0);
  }

  /** Takes a fixed size and draws only when told, for a video. */
  freeze(width, height) {
    this.frozen = true;
    this.stage.renderer.setPixelRatio(1);
    this.stage.resize(width, height);
    if (this.scene) this.frameAll();
  }

  // What the user does.

  togglePlay() {
    this.source.play(!this.source.playing);
    this.userDid("play");
    this.needsDrawing();
  }

  playNewest() {
    this.source.playNewest();
    this.needsDrawing();
  }

  step(count) {
    this.source.step(count);
    this.needsDrawing();
  }

  seek(time) {
    this.source.seek(time);
    this.needsDrawing();
  }

  reset() {
    this.source.reset();
    this.problem.hidden = true;
    this.needsDrawing();
  }

  setSpeed(speed) {
    this.source.setSpeed(speed);
    this.needsDrawing();
  }

  changeSpeed(by) {
    const nearest = SPEEDS.reduce((best, speed, k) => (Math.abs(Math.log(speed / this.source.speed)) < Math.abs(Math.log(SPEEDS[best] / this.source.speed)) ? k : best), 0);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, nearest + by))]);
  }

  select(world, body) {
    if (this.worlds > 1 && world !== this.followed && body !== null) this.follow(world);
    this.selected = { world, body };
    this.layers.main.bodies.highlight(world, body);
    this.panels.refresh();
    this.needsDrawing();
  }

  selectNext(by) {
    const count = this.scene.bodies.length - 1;
    const now = this.selected.body ?? (by > 0 ? 0 : 1);
    this.select(this.followed, ((now - 1 + by + count) % count) + 1);
    this.say(this.scene.bodies[this.selected.body]);
  }

  hover(hit) {
    const over = hit && hit.body > 0 ? hit : null;
    this.canvas.style.cursor = over ? (this.source?.live && over.world === this.followed ? "grab" : "pointer") : "";
    const key = over ? `${over.world} ${over.body}` : null;
    if (!this.layers || key === this.hovered) return;
    this.hovered = key;
    if (over) this.layers.main.bodies.highlight(over.world, over.body);
    else this.layers.main.bodies.highlight(this.selected.world, this.selected.body);
    this.canvas.title = over ? this.scene.bodies[over.body] : "";
    this.needsDrawing();
  }

  follow(world) {
    this.followed = world;
    this.source.send({ follow: world });
    this.lookFromFollowed = true;
    this.panels.refresh();
    this.needsDrawing();
  }

  setFollowing(on) {
    this.orbit.following = on;
    this.panels.refresh();
  }

  lookAt(point) {
    this.looked = true;
    this.orbit.target.set(...point);
    this.needsDrawing();
  }

  turn(right, up) {
    this.looked = true;
    this.orbit.turn(right, up);
    this.needsDrawing();
  }

  nearer(factor) {
    this.looked = true;
    this.orbit.nearer(factor);
    this.needsDrawing();
  }

  toggle(name) {
    this.shown[name] = !this.shown[name];
    if (name === "transparent") this.relook();
    if (name === "shadows") this.stage.sun.castShadow = this.shown.shadows;
    if (name === "grid") this.stage.ground.uniforms.grid.value = this.shown.grid ? 1 : 0;
    Object.assign(this.overlays.shown, this.shown);
    this.panels.refresh();
    this.legendKey = null;
    this.needsDrawing();
  }

  nextRoles() {
    this.setRoles(ROLES[(ROLES.indexOf(this.roles) + 1) % 3]);
    this.say({ visual: "Visual geometry", collision: "Collision geometry", both: "Visual and collision geometry" }[this.roles]);
  }

  setRoles(roles) {
    this.roles = roles;
    this.relook();
    this.panels.refresh();
  }

  setLarger(factor) {
    this.larger = factor;
    this.needsDrawing();
  }

  toggleTrail() {
    const { body } = this.selected;
    if (body === null) return this.say("Choose a body first: click on it.");
    this.overlays.trail(body, !this.overlays.trails.has(body));
    this.panels.refresh();
    this.needsDrawing();
  }

  /** Pulls the centre of the chosen body along the view, as the mouse would, while the keys are held. */
  pullByKeys(right, up, lift) {
    const { body } = this.selected;
    if (body === null) return this.say("Choose a body first: press ].");
    if (!this.source.live) return;
    const at = 12 * (this.followed * this.scene.bodies.length + body);
    const { matrices } = this.layers.main.bodies;
    const inBody = this.scene.masses.find((mass) => mass.body === body)?.centre ?? [0, 0, 0];
    const point = [0, 1, 2].map((row) => matrices[at + 4 * row] * inBody[0] + matrices[at + 4 * row + 1] * inBody[1] + matrices[at + 4 * row + 2] * inBody[2] + matrices[at + 4 * row + 3]);
    const [sin, cos] = [Math.sin(this.orbit.azimuth), Math.cos(this.orbit.azimuth)];
    const way = [-sin * right - cos * up, cos * right - sin * up, lift];
    const target = point.map((p, k) => p + 0.6 * this.extent * way[k]);
    this.keyPull = { body, point, inBody, target };
    this.source.send({ drag: { body, point: inBody, target: target.map((t, k) => t - this.offsets[this.followed][k]) } });
    this.userDid("drag");
  }

  endPullByKeys() {
    if (!this.keyPull) return;
    this.keyPull = null;
    this.source.send({ release: true });
    this.needsDrawing();
  }

  dragged() {
    this.userDid("drag");
    this.needsDrawing();
  }

  togglePlots() {
    this.plots.show(!this.plots.shown);
    if (this.plots.shown) this.plots.search.focus();
  }

  togglePanels() {
    this.panels.root.hidden = !this.panels.root.hidden;
    if (this.moment) this.panels.update(this.moment);
  }

  enterPanels() {
    this.panels.root.hidden = false;
    this.panels.root.querySelector("select, input, button, summary")?.focus();
  }

  toggleInfo() {
    this.info.hidden = !this.info.hidden;
  }

  toggleHelp() {
    if (this.help?.open) return this.help.close();
    this.help?.remove();
    this.help = helpDialog(this.source?.live);
    this.root.append(this.help);
    this.help.addEventListener("close", () => this.canvas.focus());
    this.help.showModal();
  }

  toggleFullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }

  escape() {
    if (this.help?.open) return this.help.close();
    if (!hasFocus(this.canvas)) return this.canvas.focus();
    this.select(this.followed, null);
  }

  // What the user saves.

  get fileName() {
    return (this.scene?.name ?? "scene").replace(/[^\w.-]+/g, "_");
  }

  async savePicture() {
    this.drawNow(0);
    download(`${this.fileName}.png`, await picture(this.canvas), "image/png");
  }

  async saveScene() {
    download(`${this.fileName}.glb`, await sceneFile(this), "model/gltf-binary");
  }

  saveChannels() {
    download(`${this.fileName}.csv`, this.plots.csv(), "text/csv");
  }

  async saveVideo() {
    try {
      if (this.filming) {
        const film = this.filming;
        this.filming = null;
        this.panels.refresh();
        download(`${this.fileName}.webm`, await film.end(), "video/webm");
      } else {
        this.filming = new Film(this.canvas);
        this.panels.refresh();
      }
    } catch (error) {
      this.filming = null;
      this.panels.refresh();
      this.fail(error.message);
    }
  }

  // What the user is told.

  startHint() {
    const live = this.source.live;
    const words = live ? ["Drag a body to pull it", "drag the background to turn", "Space plays and pauses"] : ["Space plays and pauses", "drag to turn", "click on a plot or the bar to go there"];
    this.hint.replaceChildren(...words.map((word) => element("span", { text: word })));
    this.hint.hidden = this.embedded;
    this.hintDone = new Set();
    this.canvas.addEventListener("pointerdown", () => this.userDid("touch"));
  }

  /** The hint goes away when the user has dragged and played, or some time after the first action. */
  userDid(what) {
    if (this.hint.hidden) return;
    if (this.hintDone.size === 0) setTimeout(() => (this.hint.hidden = true), HINT);
    this.hintDone.add(what);
    if (this.hintDone.has("drag")) setTimeout(() => (this.hint.hidden = true), 2500);
  }

  /** Shows a note, which goes away after a while unless `milliseconds` is null. */
  say(text, milliseconds = 6000) {
    clearTimeout(this.noteTimer);
    this.note.textContent = text;
    this.note.hidden = false;
    if (milliseconds !== null) this.noteTimer = setTimeout(() => (this.note.hidden = true), milliseconds);
  }

  /** Shows an error. */
  fail(text) {
    this.problem.textContent = text;
    this.problem.hidden = false;
    if (!this.scene) this.cover.hidden = true;
    return new Error(text);
  }

  // For tests and programs.

  /** What is drawn of the followed motion, in the coordinates of its worlds: name, body, world and matrix (16 numbers in columns). */
  drawn(layer = null) {
    const { bodies } = layer === null ? this.layers.main : this.layers.layers.find((entry) => entry.name === layer);
    return bodies.drawn().map((entry) => {
      const offset = this.offsets[entry.world];
      const position = [0, 1, 2].map((k) => entry.matrix[12 + k] - offset[k]);
      return { ...entry, position };
    });
  }

  /** Where a point of the world is on the page [pixels]. */
  onPage(point) {
    const at = new Vector3(...point).project(this.stage.camera);
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return [left + (0.5 + at.x / 2) * width, top + (0.5 - at.y / 2) * height];
  }

  dispose() {
    this.disposed = true;
    this.ended.abort();
    clearTimeout(this.noteTimer);
    clearTimeout(this.panels.later);
    this.source?.dispose();
    this.plots.dispose();
    this.observer.disconnect();
    this.sight?.disconnect();
    this.layers?.dispose();
    this.effects?.dispose();
    this.paths?.dispose();
    this.shapes?.dispose();
    this.stage.dispose();
    this.root.replaceChildren();
  }
}
