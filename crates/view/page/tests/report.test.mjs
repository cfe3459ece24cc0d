// Reports of the demo: the viewer's page plays the motions inside them.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

import { fresh, openBrowser } from "./browser.mjs";
import { distance, geometryPosition } from "./geometry.mjs";
import { run } from "./server.mjs";

/** Distance by which a drawn body may be off [m]: f32 of recordings and graphics. */
const DRAWN = 1e-5;
/** Largest report [bytes]. */
const LARGEST = 6_000_000;
const PATIENCE = { timeout: 150_000, polling: 200 };

let folder, browser, page;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gradbody-report-"));
  await run("demo", "--out", folder);
  for (const name of process.env.GRADBODY_FRESH ? ["report.html", "laws.html"] : []) {
    await writeFile(join(folder, name), await fresh(await readFile(join(folder, name), "utf8")));
  }
  browser = await openBrowser({ width: 1200, height: 800 });
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a report, whose players draw coarsely. */
async function open(name) {
  const opened = await browser.page();
  await opened.goto(`${pathToFileURL(join(folder, name)).href}?quality=draft`);
  return opened;
}

/** Scrolls to a motion and waits until it is drawn. */
async function look(on, index) {
  const holder = on.locator(".player:visible").nth(index);
  await holder.scrollIntoViewIfNeeded();
  await holder.evaluate((node) => new Promise((resolve, reject) => {
    const end = Date.now() + 150_000;
    const look = () => {
      if (node.shadowRoot?.firstElementChild?.gradbodyViewer?.stats.frames > 0) resolve();
      else if (Date.now() > end) reject(new Error("no picture"));
      else setTimeout(look, 100);
    };
    look();
  }));
  return holder;
}

/** What a report has of its n-th motion: header and arrays, as its own script would read them. */
function recorded(html, index) {
  const texts = [...html.matchAll(/<script type="text\/plain"(?: id="([^"]*)")?>([A-Za-z0-9+/=\s]+)<\/script>/g)];
  const motions = texts.filter(([, id]) => !id).map(([, , text]) => text);
  const bytes = inflateSync(Buffer.from(motions[index], "base64"));
  const length = bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.subarray(4, 4 + length).toString());
  const start = 4 * Math.ceil((4 + length) / 4);
  const array = (name) => {
    const { offset, shape } = header.arrays[name];
    const count = shape.reduce((a, b) => a * b, 1);
    return Array.from({ length: count }, (_, k) => bytes.readFloatLE(start + offset + 4 * k));
  };
  const scene = Number(html.match(new RegExp(`(?:data-scene="(\\d+)"[^]*?){${index + 1}}`))[1]);
  const of = texts.find(([, id]) => id === `scene-${scene}`)[2];
  return { header, array, scene: JSON.parse(inflateSync(Buffer.from(of, "base64")).toString()), count: motions.length };
}

/** Compares what a motion draws of each layer, at its beginning, middle and end, with the recorded poses. */
async function assertDrawn(holder, { header, array, scene }) {
  const times = array("t");
  const bodies = scene.bodies.length;
  for (const k of [0, Math.floor(times.length / 2), times.length - 1]) {
    for (const { name } of header.layers) {
      const poses = array(`poses/${name}`).slice(7 * bodies * k, 7 * bodies * (k + 1));
      const drawn = await holder.evaluate((node, [time, layer]) => {
        const viewer = node.shadowRoot.firstElementChild.gradbodyViewer;
        viewer.seek(time);
        viewer.drawNow(0);
        return viewer.drawn(layer);
      }, [times[k], name]);
      assert.ok(drawn.length > 0);
      for (const entry of drawn) {
        const expected = placeOf(entry.name, scene, poses);
        assert.ok(distance(entry.position, expected) < DRAWN, `${name}: ${entry.name} is drawn at ${entry.position}, not at ${expected}, at ${times[k]} s`);
      }
    }
  }
}

/** Where a geometry is; or a stick, which stands for a body without: half way to the next joint, or in the centre of mass. */
function placeOf(name, scene, poses) {
  const poseOf = (body) => poses.slice(7 * body, 7 * body + 7);
  const geometry = scene.geometries.find((g) => g.name === name && g.role === "visual");
  if (geometry) return geometryPosition(poseOf(geometry.body), geometry);
  const body = scene.bodies.indexOf(name);
  const child = scene.parents.indexOf(body, body + 1);
  if (child > 0) return [0, 1, 2].map((axis) => 0.5 * (poseOf(body)[axis] + poseOf(child)[axis]));
  return geometryPosition(poseOf(body), { pose: scene.masses.find((mass) => mass.body === body).centre });
}

test("the report of the demo draws the bodies at the recorded poses, measured, before and after", async () => {
  const html = await readFile(join(folder, "report.html"), "utf8");
  assert.ok((await stat(join(folder, "report.html"))).size < LARGEST);
  const { header, array, scene } = recorded(html, 0);
  assert.deepEqual(header.layers.map(({ name, ghost }) => [name, ghost]), [["after", false], ["measured", true], ["before", true]]);
  page = await open("report.html");
  const holder = await look(page, 0);
  await assertDrawn(holder, { header, array, scene });
});

test("where the networks of the fit act is drawn in the report", async () => {
  const holder = await look(page, 0);
  const found = await holder.evaluate((node) => {
    const viewer = node.shadowRoot.firstElementChild.gradbodyViewer;
    const { first, last } = viewer.source.recording;
    viewer.seek(first + 0.3 * (last - first));
    viewer.drawNow(0);
    return { names: viewer.effects.sites.map((site) => site.name), rings: viewer.effects.marks.about.used };
  });
  assert.ok(found.names.length > 0 && found.names.every((name) => /^joint\/\w+\/passive_torque$/.test(name)), found.names.join());
  assert.ok(found.rings >= 1, "turning arrows");
});

test("the plots beside a motion follow its time, and a click on one goes there", async () => {
  const holder = await look(page, 0);
  const [shown, wanted, clicked] = await holder.evaluate((node) => {
    const viewer = node.shadowRoot.firstElementChild.gradbodyViewer;
    const { first, last } = viewer.source.recording;
    const time = first + 0.25 * (last - first);
    viewer.seek(time);
    viewer.drawNow(0);
    const line = node.closest(".motion").querySelector(".playhead");
    const { left, from, scale } = line.dataset;
    const svg = line.ownerSVGElement;
    const area = svg.getBoundingClientRect();
    const at = +left + (0.5 * (first + last) - from) * scale;
    svg.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: area.left + (at / svg.viewBox.baseVal.width) * area.width, clientY: area.top + 20 }));
    return [+line.getAttribute("x1"), +left + (time - from) * scale, viewer.source.time / (0.5 * (first + last))];
  });
  assert.ok(Math.abs(shown - wanted) < 0.1, `${shown} instead of ${wanted}`);
  assert.ok(Math.abs(clicked - 1) < 0.02, `${clicked} of the time clicked on`);
});

test("a motion that leaves the window is ended, and goes on where it was when it comes back", async () => {
  const holder = await look(page, 0);
  await holder.evaluate((node) => {
    const viewer = node.shadowRoot.firstElementChild.gradbodyViewer;
    viewer.seek(viewer.source.recording.first + 0.5);
    node.before = viewer;
  });
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => document.querySelector(".player").before.disposed, null, PATIENCE);
  await look(page, 0);
  const [time, first] = await holder.evaluate((node) => {
    const viewer = node.shadowRoot.firstElementChild.gradbodyViewer;
    return [viewer.source.time, viewer.source.recording.first];
  });
  assert.ok(Math.abs(time - first - 0.5) < 1e-6, `${time} s`);
});

test("another motion is chosen from the list, and drawn", async () => {
  const select = page.locator(".choose select");
  await select.selectOption({ index: 1 });
  const holder = await look(page, 0);
  assert.equal(await holder.evaluate((node) => [...document.querySelectorAll(".player")].indexOf(node)), 1);
});

test("the three motions of the page about laws share the viewer, and two the robot", async () => {
  const html = await readFile(join(folder, "laws.html"), "utf8");
  assert.ok(html.length < LARGEST);
  assert.equal(html.match(/id="viewer-script"/g).length, 1);
  const { count } = recorded(html, 0);
  assert.equal(count, 3);
  const laws = await open("laws.html");
  for (const k of [0, 1, 2]) await look(laws, k);
  const landing = recorded(html, 2);
  const holder = await look(laws, 2);
  await assertDrawn(holder, landing);
  const up = await holder.evaluate((node) => {
    const viewer = node.shadowRoot.firstElementChild.gradbodyViewer;
    viewer.seek(viewer.source.recording.last);
    viewer.drawNow(0);
    return viewer.contacts.drawnForces().reduce((sum, force) => sum + force[2], 0) / viewer.weight;
  });
  assert.ok(landing.header.arrays.contacts.shape[0] > 0);
  assert.ok(Math.abs(up - 1) < 0.01, `the ground carries ${up} of the weight`);
  assert.deepEqual(laws.errors, []);
  await laws.close();
});

test("the console has no errors", () => {
  assert.deepEqual(page.errors, []);
});
