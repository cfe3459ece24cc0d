// Takes the pictures of the documentation: `node pictures.mjs [NAME…]`, with the program built. Each is a rendering of what the
// commands below show. `GRADBODY_FIT` is the folder of a fit for the picture with ghosts.

import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { fresh, openBrowser } from "./tests/browser.mjs";
import { run, serve } from "./tests/server.mjs";

const DOCS = new URL("../../../docs/", import.meta.url).pathname;
/** Largest size of a picture [bytes]. */
const LARGEST = 300_000;

/** Each picture: what is shown, and what is done in the page before it is taken. */
const PICTURES = {
  demo: { report: "report.html", share: 0.3, size: [1200, 1540] },
  "viewer-ant": { live: ["ant", "--paused"], until: 1.5, size: [1200, 720] },
  "viewer-dark": { live: ["laikago", "--paused", "--ground", "0", "--q", "0,0,0.409,1,0,0,0,0,0.7,-1.4,0,0.7,-1.4,0,0.7,-1.4,0,0.7,-1.4"], until: 0.06, dark: true, size: [1200, 720], page: () => ["axes", "centres"].forEach((name) => gradbodyViewer.toggle(name)) },
  "viewer-worlds": { live: ["ant", "--paused", "--worlds", "16"], until: 0.6, size: [1200, 640], page: () => gradbodyViewer.togglePanels() },
  "viewer-ghost": { saved: [process.env.GRADBODY_FIT], share: 0.85, size: [1200, 640] },
  "viewer-gradient": { saved: ["ant", "--gradient", "--time", "1"], share: 0.5, size: [1200, 640], page: () => {
    gradbodyViewer.toggle("forces");
    gradbodyViewer.setLarger(3);
    gradbodyViewer.panels.refresh();
  } },
};

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "gradbody-pictures-"));
for (const [name, picture] of Object.entries(PICTURES)) {
  const given = (picture.live ?? picture.saved ?? ["the demo's"]).every(Boolean);
  if (!given || (wanted.length > 0 && !wanted.includes(name))) continue;
  const file = join(DOCS, `${name}.png`);
  await (picture.report ? takeReport : take)(picture, file);
  const { size } = await stat(file);
  console.log(`${file}: ${size} bytes`);
  if (size > LARGEST) throw new Error(`${name} has more than ${LARGEST} bytes`);
}
await rm(folder, { recursive: true, force: true });

/** The beginning of a report of the demo, with its first motion at a share of its time. */
async function takeReport({ report, share, size: [width, height] }, file) {
  await run("demo", "--out", folder);
  const html = join(folder, report);
  if (process.env.GRADBODY_FRESH) await writeFile(html, await fresh(await readFile(html, "utf8")));
  const browser = await openBrowser({ width, height });
  try {
    const page = await browser.page();
    await page.goto(`${pathToFileURL(html).href}?quality=high`);
    await page.waitForFunction(() => document.querySelector(".player").shadowRoot?.firstElementChild?.gradbodyViewer?.stats.frames > 0, null, { timeout: 300_000, polling: 200 });
    await page.evaluate((part) => {
      const viewer = document.querySelector(".player").shadowRoot.firstElementChild.gradbodyViewer;
      const { first, last } = viewer.source.recording;
      viewer.seek(first + part * (last - first));
      viewer.drawNow(0);
      viewer.frozen = true;
    }, share);
    await page.waitForTimeout(300);
    await page.screenshot({ path: file, timeout: 300_000 });
    if (page.errors.length > 0) throw new Error(page.errors.join("\n"));
  } finally {
    await browser.close();
  }
}

async function take({ live, saved, until, share, dark, size, page: prepare }, file) {
  const [width, height] = size;
  const browser = await openBrowser({ width, height, colourScheme: dark ? "dark" : "light" });
  const server = live ? await serve(...live) : null;
  try {
    let address = `${server?.address}&quality=high`;
    if (saved) {
      const html = join(folder, "saved.html");
      await run("view", ...saved, "--save", html);
      if (process.env.GRADBODY_FRESH) await writeFile(html, await fresh(await readFile(html, "utf8")));
      address = `${pathToFileURL(html).href}?quality=high`;
    }
    const page = await browser.page(address);
    // Only the last picture has to be drawn.
    await page.evaluate(async ([time, part]) => {
      const viewer = window.gradbodyViewer;
      const { source } = viewer;
      viewer.frozen = true;
      viewer.hint.hidden = part !== null;
      if (part !== null) viewer.seek(source.recording.first + part * (source.recording.last - source.recording.first));
      else {
        const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
        source.send({ play: true });
        while (!(source.take()?.time >= time)) await wait();
        source.send({ play: false });
        while (!source.take().paused) await wait();
      }
    }, [until ?? null, share ?? null]);
    if (prepare) await page.evaluate(prepare);
    await page.waitForTimeout(300);
    await page.evaluate(() => {
      const { clientWidth, clientHeight } = gradbodyViewer.view;
      gradbodyViewer.stage.resize(clientWidth, clientHeight);
      gradbodyViewer.drawNow(0);
      gradbodyViewer.frameAll();
      gradbodyViewer.drawNow(0);
      gradbodyViewer.plots.update(gradbodyViewer.moment, true);
    });
    await page.waitForTimeout(300);
    await page.screenshot({ path: file, timeout: 200_000 });
    if (page.errors.length > 0) throw new Error(page.errors.join("\n"));
  } finally {
    await browser.close();
    await server?.stop();
  }
}
