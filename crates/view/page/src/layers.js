// Several motions in one scene: the one that is followed, and ghosts of others, such as measured beside fitted.

import { Group } from "three";

import { Bodies } from "./scene.js";

const GHOSTS = ["#2f7de1", "#e08a1e", "#7a52d6", "#2a9d4b"];

export class Layers {
  /** `layers` says name, ghost and colour of each; `options` says how bodies are drawn. */
  constructor(layers, scene, shapes, worlds, options) {
    this.group = new Group();
    let ghosts = 0;
    this.layers = layers.map((layer) => {
      const number = layer.ghost ? ghosts++ : 0;
      const colour = cssColour(layer.colour) ?? (layer.ghost ? GHOSTS[number % GHOSTS.length] : null);
      const look = layer.ghost ? { colour, hatched: number % 2 === 1 } : null;
      return { ...layer, look, colour, visible: true };
    });
    this.rebuild(scene, shapes, worlds, options);
  }

  rebuild(scene, shapes, worlds, options) {
    for (const layer of this.layers) {
      layer.bodies?.dispose();
      // A fixed ground or table needs no ghost.
      const own = layer.look ? { ...scene, geometries: scene.geometries.filter((g) => g.body !== 0) } : scene;
      layer.bodies = new Bodies(own, shapes, worlds, { ...options, look: layer.look });
      layer.bodies.extent = options.extent;
      layer.bodies.group.visible = layer.visible;
      this.group.add(layer.bodies.group);
    }
  }

  /** The layer that is followed, picked and dragged. */
  get main() {
    return this.layers.find((layer) => !layer.ghost) ?? this.layers[0];
  }

  show(name, visible) {
    const layer = this.layers.find((entry) => entry.name === name);
    layer.visible = visible;
    layer.bodies.group.visible = visible;
  }

  update(poses, offsets) {
    this.layers.forEach((layer, k) => {
      if (poses[k] && (layer.visible || layer === this.main)) layer.bodies.update(poses[k], offsets);
    });
  }

  dispose() {
    for (const layer of this.layers) layer.bodies.dispose();
    this.group.removeFromParent();
  }
}

function cssColour(colour) {
  if (!colour) return null;
  if (typeof colour === "string") return colour;
  return `#${colour.slice(0, 3).map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("")}`;
}
