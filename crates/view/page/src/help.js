// The help: what the mouse does, and the keys.

import { button, element } from "./dom.js";
import { CHORDS, KEYS } from "./keys.js";

const MOUSE = [
  ["Drag a body", "pull it by a spring"],
  ["Drag the background", "turn the camera"],
  ["Right or Shift drag", "move the camera"],
  ["Wheel", "nearer or farther"],
  ["Click a body", "choose it; of another world: follow that"],
  ["Double click", "look there"],
];

/** The dialog; `live` says whether bodies can be pulled. */
export function helpDialog(live) {
  const rows = (entries) => entries.map(([shown, does, mark]) => [element("dt", {}, element("kbd", { text: shown })), element("dd", { text: does }, mark ? element("span", { class: "same", text: " •", title: "as in MuJoCo's viewer" }) : null)]).flat();
  const dialog = element("dialog", { class: "help", "aria-label": "Help" },
    element("header", {}, element("h2", { text: "Keys and mouse" }), button("Close", "close", () => dialog.close())),
    element("dl", {}, rows(MOUSE.slice(live ? 0 : 1)), rows(CHORDS.slice(0, live ? 2 : 1).map(({ shown, does }) => [shown, does])),
      rows(KEYS.filter((entry) => entry.shown).map(({ shown, does, mujoco }) => [shown, does, mujoco]))),
    element("p", { class: "hint-text", text: "• is the same key as in MuJoCo's viewer." }));
  return dialog;
}
