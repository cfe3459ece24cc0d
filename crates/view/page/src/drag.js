// The mouse and touch on the scene: pull a body, turn and move the camera, choose what is followed.

import { Plane, Raycaster, Vector2, Vector3 } from "three";

import { hasFocus } from "./dom.js";

/** A press that moves less than this is a click [pixels]. */
const CLICK = 5;
/** Meshes with more triangles than this are picked at a press only, not when the mouse passes. */
const HOVER_TRIANGLES = 150_000;

export class Pointer {
  /** `viewer` is asked for camera, bodies and source. */
  constructor(canvas, viewer) {
    this.canvas = canvas;
    this.viewer = viewer;
    this.raycaster = new Raycaster();
    this.pressed = new Map();
    this.pull = null;
    const listen = (name, handler, options) => canvas.addEventListener(name, handler.bind(this), options);
    listen("pointerdown", this.press);
    listen("pointermove", this.moved);
    listen("pointerup", this.release);
    listen("pointercancel", this.release);
    listen("pointerleave", () => this.viewer.hover(null));
    listen("lostpointercapture", this.release);
    listen("wheel", this.wheel, { passive: false });
    listen("dblclick", this.twice);
    listen("contextmenu", (event) => event.preventDefault());
  }

  /** The ray of a pointer's event. */
  aim(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const at = new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height);
    this.raycaster.setFromCamera(at, this.viewer.stage.camera);
    return this.raycaster;
  }

  pick(event) {
    return this.viewer.layers?.main.bodies.pick(this.aim(event)) ?? null;
  }

  press(event) {
    this.canvas.focus({ preventScroll: true });
    try {
      this.canvas.setPointerCapture(event.pointerId);
    } catch {
      // A pointer that a test or an assistive program makes up cannot be captured.
    }
    this.pressed.set(event.pointerId, { x: event.clientX, y: event.clientY, startX: event.clientX, startY: event.clientY, button: event.button });
    if (this.pressed.size > 1) return this.endPull();
    const hit = event.button === 0 && !event.shiftKey ? this.pick(event) : null;
    this.hit = hit;
    // Bodies of the followed world can be pulled; a click on another world follows that.
    if (hit && hit.body > 0 && this.viewer.source.live && hit.world === this.viewer.followed) {
      const normal = this.viewer.stage.camera.getWorldDirection(new Vector3());
      this.pull = { ...hit, plane: new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...hit.point)), target: hit.point };
      this.viewer.select(hit.world, hit.body);
    }
  }

  moved(event) {
    const held = this.pressed.get(event.pointerId);
    if (!held) return this.hover(event);
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    if (this.pressed.size === 2) return this.pinch(event, held, dx, dy);
    Object.assign(held, { x: event.clientX, y: event.clientY });
    const { orbit } = this.viewer;
    const height = this.canvas.clientHeight;
    if (this.pull) {
      const target = this.aim(event).ray.intersectPlane(this.pull.plane, new Vector3());
      if (target) this.pullTo(target.toArray());
    } else {
      this.viewer.looked = true;
      if (held.button === 2 || held.button === 1 || event.shiftKey) orbit.move(dx / height, -dy / height);
      else orbit.turn((dx / height) * 4, (dy / height) * 3);
    }
    this.viewer.needsDrawing();
  }

  /** Sends where the pulled point shall go, in the coordinates of its world. */
  pullTo(target) {
    this.pull.target = target;
    const offset = this.viewer.offsets[this.pull.world];
    this.viewer.source.send({ drag: { body: this.pull.body, point: this.pull.inBody, target: target.map((t, k) => t - offset[k]) } });
    this.viewer.dragged();
  }

  pinch(event, held, dx, dy) {
    const other = [...this.pressed].find(([id]) => id !== event.pointerId)[1];
    const before = Math.hypot(held.x - other.x, held.y - other.y);
    Object.assign(held, { x: event.clientX, y: event.clientY });
    const now = Math.hypot(held.x - other.x, held.y - other.y);
    this.viewer.orbit.nearer(before / Math.max(now, 1));
    const height = this.canvas.clientHeight;
    this.viewer.orbit.move(dx / 2 / height, -dy / 2 / height);
    this.viewer.needsDrawing();
  }

  release(event) {
    const held = this.pressed.get(event.pointerId);
    if (!held) return;
    this.pressed.delete(event.pointerId);
    const clicked = Math.hypot(event.clientX - held.startX, event.clientY - held.startY) < CLICK;
    if (clicked && held.button === 0 && event.type === "pointerup") {
      if (this.hit && this.hit.body > 0) this.viewer.select(this.hit.world, this.hit.body);
      else this.viewer.select(this.viewer.followed, null);
    }
    this.endPull();
  }

  endPull() {
    if (!this.pull) return;
    this.pull = null;
    this.viewer.source.send({ release: true });
    this.viewer.needsDrawing();
  }

  wheel(event) {
    // A page that scrolls keeps its wheel until the viewer was chosen.
    if (this.viewer.embedded && !hasFocus(this.canvas)) return;
    event.preventDefault();
    this.viewer.looked = true;
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.viewer.orbit.nearer(Math.exp(Math.max(-120, Math.min(120, event.deltaY * lines)) * 0.0015));
    this.viewer.needsDrawing();
  }

  twice(event) {
    const hit = this.pick(event);
    if (hit) this.viewer.lookAt(hit.point);
  }

  hover(event) {
    const now = performance.now();
    if (event.pointerType === "touch" || this.viewer.triangles > HOVER_TRIANGLES || now - (this.hovered ?? 0) < 40) return;
    this.hovered = now;
    this.viewer.hover(this.pick(event));
  }
}
