// Prints draw calls, script time and bytes a frame: `node measure.mjs`, with the program built. Frame rates say little without a
// graphics card; these figures do not depend on one. The last two columns are simulated seconds a second while the page draws, and while
// its script stands still: a slow page slows no simulation.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openBrowser } from "./tests/browser.mjs";
import { serve } from "./tests/server.mjs";

/** Frames that are drawn at most, and the time for it [ms]. */
const FRAMES = 40;
const TIME = 60_000;
/** How long the page's script stands still [ms]. */
const STILL = 4000;
const folder = await mkdtemp(join(tmpdir(), "gradbody-measure-"));
const heap = join(folder, "heap.xml");
const boxes = Array.from({ length: 200 }, (_, k) => {
  const [x, y, z] = [(k % 5) * 0.22 - 0.44, (Math.floor(k / 5) % 5) * 0.22 - 0.44, 0.15 + 0.22 * Math.floor(k / 25)];
  return `<body pos="${x + 0.013 * (k % 7)} ${y} ${z}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1"/></body>`;
});
await writeFile(heap, `<mujoco model="heap"><option timestep="0.005"/><worldbody><geom type="plane" size="5 5 1"/>${boxes.join("")}</worldbody></mujoco>`);

const scenes = [
  ["1 Laikago", ["laikago", "--ground", "0"]],
  ["50 Laikagos", ["laikago", "--ground", "0", "--worlds", "50"]],
  ["200 boxes", [heap]],
];
const browser = await openBrowser({ width: 640, height: 400 });
console.log("| scene | draw calls | triangles | script a frame [ms] | bytes a frame | speed | with a still page |\n|---|---|---|---|---|---|---|");
for (const [name, what] of scenes) {
  const server = await serve(...what);
  try {
    const page = await browser.page(`${server.address}&quality=low`);
    const figures = await page.evaluate(async ([count, time, still]) => {
      const viewer = window.gradbodyViewer;
      const { source } = viewer;
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      // What comes first are frames that were on their way.
      const newest = async () => {
        for (const end = source.frames + 4; source.frames < end; await wait(2)) source.take();
        return [performance.now(), source.take().time];
      };
      viewer.plots.show(true);
      const scripts = [];
      const draw = viewer.drawNow.bind(viewer);
      viewer.drawNow = (seconds) => {
        const before = viewer.stats.script;
        draw(seconds);
        scripts.push(viewer.stats.script - before);
      };
      const [begin, first] = await newest();
      const from = { ...viewer.stats, received: source.frames, bytes: source.bytes };
      while (viewer.stats.frames < from.frames + count && performance.now() < begin + time) await wait(100);
      const [end, reached] = await newest();
      const speed = ((reached - first) / (end - begin)) * 1000;
      const { stats } = viewer;
      // The middle one: on a busy machine some frames wait for the processor.
      const script = scripts.sort((a, b) => a - b)[scripts.length >> 1];
      const bytes = (source.bytes - from.bytes) / (source.frames - from.received);
      // Nothing is drawn from here on, so that only standing still is measured.
      viewer.frozen = true;
      const [then, now] = await newest();
      while (performance.now() < then + still);
      const [later, after] = await newest();
      const slept = ((after - now) / (later - then)) * 1000;
      return [stats.calls, stats.triangles, script.toFixed(2), Math.round(bytes), speed.toFixed(2), slept.toFixed(2)];
    }, [FRAMES, TIME, STILL]);
    console.log(`| ${name} | ${figures.join(" | ")} |`);
    await page.close();
  } finally {
    await server.stop();
  }
}
await browser.close();
await rm(folder, { recursive: true, force: true });
