// Prints draw calls, script time and bytes a frame: `node measure.mjs`, with the program built. Frame rates say little without a
// graphics card; these figures do not depend on one.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openBrowser } from "./tests/browser.mjs";
import { serve } from "./tests/server.mjs";

const FRAMES = 40;
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
console.log("| scene | draw calls | triangles | script a frame [ms] | bytes a frame |\n|---|---|---|---|---|");
for (const [name, what] of scenes) {
  const server = await serve(...what);
  try {
    const page = await browser.page(`${server.address}&quality=low`);
    const figures = await page.evaluate(async (count) => {
      const viewer = window.gradbodyViewer;
      viewer.plots.show(true);
      const from = { ...viewer.stats, received: viewer.source.frames, bytes: viewer.source.bytes };
      const end = performance.now() + 120_000;
      while (viewer.stats.frames < from.frames + count && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
      const { stats, source } = viewer;
      return [stats.calls, stats.triangles, ((stats.script - from.script) / (stats.frames - from.frames)).toFixed(2), Math.round((source.bytes - from.bytes) / (source.frames - from.received))];
    }, FRAMES);
    console.log(`| ${name} | ${figures.join(" | ")} |`);
    await page.close();
  } finally {
    await server.stop();
  }
}
await browser.close();
await rm(folder, { recursive: true, force: true });
