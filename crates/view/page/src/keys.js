// Keys. Those that MuJoCo's viewer has mean the same here.

/** Keys, what they do, and the method of the viewer that does it. `mujoco` marks those that its viewer has too. */
export const KEYS = [
  { keys: [" "], shown: "Space", does: "play or pause", run: (v) => v.togglePlay(), mujoco: true },
  { keys: ["ArrowRight"], shown: "→", does: "one step", run: (v) => v.step(1), mujoco: true },
  { keys: ["ArrowLeft"], shown: "←", does: "one step back", run: (v) => v.step(-1), mujoco: true },
  { keys: ["Backspace"], shown: "Backspace", does: "reset", run: (v) => v.reset(), mujoco: true },
  { keys: ["-"], shown: "−", does: "slower", run: (v) => v.changeSpeed(-1), mujoco: true },
  { keys: ["=", "+"], shown: "=", does: "faster", run: (v) => v.changeSpeed(1), mujoco: true },
  { keys: ["Tab"], shown: "Tab", does: "open the panels and go there; Esc comes back", run: (v) => v.enterPanels(), mujoco: true },
  { keys: ["F1"], shown: "F1 or ?", does: "this help", run: (v) => v.toggleHelp(), mujoco: true },
  { keys: ["?"], run: (v) => v.toggleHelp() },
  { keys: ["F2"], shown: "F2", does: "time and energy", run: (v) => v.toggleInfo(), mujoco: true },
  { keys: ["F3"], shown: "F3", does: "plots", run: (v) => v.togglePlots(), mujoco: true },
  { keys: ["F5"], shown: "F5", does: "full screen", run: (v) => v.toggleFullScreen(), mujoco: true },
  { keys: ["F6"], shown: "F6", does: "frames of bodies", run: (v) => v.toggle("frames"), mujoco: true },
  { keys: ["c"], shown: "C", does: "contact points", run: (v) => v.toggle("points"), mujoco: true },
  { keys: ["f"], shown: "F", does: "contact forces", run: (v) => v.toggle("forces"), mujoco: true },
  { keys: ["j"], shown: "J", does: "joint axes", run: (v) => v.toggle("axes"), mujoco: true },
  { keys: ["i"], shown: "I", does: "boxes of equal inertia", run: (v) => v.toggle("inertia"), mujoco: true },
  { keys: ["m"], shown: "M", does: "centres of mass", run: (v) => v.toggle("centres"), mujoco: true },
  { keys: ["t"], shown: "T", does: "bodies one can see through", run: (v) => v.toggle("transparent"), mujoco: true },
  { keys: ["s"], shown: "S", does: "shadows", run: (v) => v.toggle("shadows"), mujoco: true },
  { keys: ["g"], shown: "G", does: "visual or collision geometry, or both", run: (v) => v.nextRoles() },
  { keys: ["l"], shown: "L", does: "trail of the chosen body", run: (v) => v.toggleTrail() },
  { keys: ["[", "]"], shown: "[ ]", does: "choose the body before or after", run: (v, key) => v.selectNext(key === "]" ? 1 : -1) },
  { keys: ["PageUp", "PageDown"], shown: "Page ↑ ↓", does: "nearer or farther", run: (v, key) => v.nearer(key === "PageUp" ? 0.85 : 1 / 0.85) },
  { keys: ["Home"], shown: "Home", does: "look at everything", run: (v) => v.frameAll() },
  { keys: ["Escape"], shown: "Esc", does: "back to the scene; choose nothing", run: (v) => v.escape(), mujoco: true },
];
/** With Shift an arrow key turns the camera, with Alt it pulls the chosen body while it is held. */
export const CHORDS = [
  { shown: "Shift + arrows", does: "turn the camera" },
  { shown: "Alt + arrows", does: "pull the chosen body; Alt + Page ↑ ↓ lifts or presses it" },
];
const ARROWS = { ArrowRight: [1, 0, 0], ArrowLeft: [-1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1] };

/** Listens on a viewer's root, or on the document that it fills: keys act wherever the focus is, except where a control needs them. */
export function listen(root, canvas, viewer, signal) {
  root.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey) return;
    if (key === "Escape") {
      event.preventDefault();
      return viewer.escape();
    }
    const target = event.target;
    const typing = target.matches?.("input:not([type=checkbox]), select, textarea");
    const pressing = target.matches?.("button, summary, input[type=checkbox], a") && (key === " " || key === "Enter");
    if (typing || pressing || (key === "Tab" && target !== canvas)) return;
    if (key === "Tab" && event.shiftKey) return;
    if (ARROWS[key] && (event.shiftKey || event.altKey)) {
      event.preventDefault();
      const [right, up, lift] = ARROWS[key];
      if (event.altKey) viewer.pullByKeys(right, up, lift);
      else viewer.turn(-0.1 * right, 0.08 * up);
      return;
    }
    const entry = KEYS.find((candidate) => candidate.keys.includes(key) || candidate.keys.includes(key.toLowerCase()));
    if (!entry || event.altKey) return;
    // In a page with more than one viewer, Tab goes on.
    if (key === "Tab" && viewer.embedded) return;
    event.preventDefault();
    entry.run(viewer, key);
  }, { signal });
  root.addEventListener("keyup", (event) => {
    if (event.key === "Alt" || ARROWS[event.key]) viewer.endPullByKeys();
  }, { signal });
}
