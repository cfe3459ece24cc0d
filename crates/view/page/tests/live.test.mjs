// The page with a live simulation of `gradbody view`.

import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { openBrowser } from "./browser.mjs";
import { distance, geometryPosition } from "./geometry.mjs";
import { PROGRAM, serve } from "./server.mjs";

/** Distance by which a drawn body may be off [m]: f32 of frames and graphics. */
const DRAWN = 1e-5;
/** How long the machine may take for what a user would see at once [ms]. */
const PATIENCE = { timeout: 120_000, polling: 100 };

let browser, server, page, folder;

before(async () => {
  assert.ok(PROGRAM, "build the program first: cargo build --release");
  folder = await mkdtemp(join(tmpdir(), "gradbody-live-"));
  server = await serve("ant", "--paused");
  browser = await openBrowser({ width: 1000, height: 520 });
  page = await open(server.address);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

function open(address) {
  return browser.page(`${address}&quality=draft`);
}

function when(condition, argument, on = page) {
  return on.waitForFunction(condition, argument, PATIENCE);
}

function send(message, on = page) {
  return on.evaluate((m) => gradbodyViewer.source.send(m), message);
}

/** The value of a channel now. */
function channel(name, on = page) {
  return on.evaluate((n) => gradbodyViewer.moment.channels[gradbodyViewer.source.settings.channels.findIndex((c) => c.name === n)], name);
}

/** Simulates until a time and pauses there. */
async function runTo(time) {
  await send({ speed: 8 });
  await send({ play: true });
  await when((t) => gradbodyViewer.moment.time >= t, time);
  await send({ play: false });
  await when(() => gradbodyViewer.moment.paused);
  await send({ speed: 1 });
}

async function press(key) {
  await page.locator("canvas.scene").focus();
  await page.keyboard.press(key);
}

test("bodies are drawn where the simulation has them", async () => {
  const { drawn, poses, scene } = await page.evaluate(() => ({ drawn: gradbodyViewer.drawn(), poses: Array.from(gradbodyViewer.moment.poses), scene: gradbodyViewer.scene }));
  assert.ok(drawn.length >= 13);
  for (const entry of drawn) {
    const geometry = scene.geometries.find((g) => g.name === entry.name && g.body === entry.body);
    const off = distance(entry.position, geometryPosition(poses.slice(7 * entry.body, 7 * entry.body + 7), geometry));
    assert.ok(off < DRAWN, `${entry.name} is ${off} m off`);
  }
});

test("a step goes on by the time step, and a step back shows the state before", async () => {
  const before = await page.evaluate(() => gradbodyViewer.moment.time);
  const step = await page.evaluate(() => gradbodyViewer.source.settings.time_step);
  await press("ArrowRight");
  await when((t) => gradbodyViewer.moment.time > t, before);
  const after = await page.evaluate(() => gradbodyViewer.moment.time);
  assert.ok(Math.abs(after - before - step) < 1e-9, `${after - before} instead of ${step}`);
  await press("ArrowLeft");
  await when((t) => gradbodyViewer.moment.time < t, after);
});

test("at rest the contact arrows add up to the weight", async () => {
  await runTo(6);
  const { up, weight, count } = await page.evaluate(() => ({ up: gradbodyViewer.contacts.drawnForces().reduce((sum, f) => sum + f[2], 0), weight: gradbodyViewer.weight, count: gradbodyViewer.contacts.list.length }));
  assert.ok(count >= 3, `${count} contacts`);
  assert.ok(Math.abs(up - weight) < 0.02 * weight, `${count} arrows add up to ${up} N, the weight is ${weight} N`);
});

test("scrubbing shows the state of that time, and going on starts there", async () => {
  const [first, last] = await page.evaluate(() => [gradbodyViewer.moment.first, gradbodyViewer.moment.last]);
  assert.ok(last - first > 1);
  const wanted = first + 0.5 * (last - first);
  const kept = await page.evaluate(() => Array.from(gradbodyViewer.moment.poses.slice(7, 10)));
  await page.evaluate((t) => {
    const bar = document.querySelector(".scrub");
    bar.value = t;
    bar.dispatchEvent(new Event("input", { bubbles: true }));
  }, wanted);
  await when((t) => Math.abs(gradbodyViewer.moment.time - t) < 0.05, wanted);
  assert.equal(await page.evaluate(() => gradbodyViewer.moment.edge), false);
  await page.evaluate(() => gradbodyViewer.seek(gradbodyViewer.moment.last));
  await when(() => gradbodyViewer.moment.edge);
  const again = await page.evaluate(() => Array.from(gradbodyViewer.moment.poses.slice(7, 10)));
  assert.ok(distance(kept, again) < 1e-6, "the newest state is as it was");
});

test("dragging with the mouse moves the body, and the energy it took is reported", async () => {
  await send({ play: true });
  await when(() => !gradbodyViewer.moment.paused);
  const work = await channel("energy/pull");
  const start = await page.evaluate(() => Array.from(gradbodyViewer.moment.poses.slice(7, 10)));
  const [x, y] = await page.evaluate((p) => gradbodyViewer.onPage(p), start);
  await page.mouse.move(x, y);
  await page.mouse.down();
  assert.equal(await page.evaluate(() => gradbodyViewer.pointer.pull?.body), 1, "the press picks the torso");
  await page.mouse.move(x + 30, y - 120, { steps: 4 });
  await when(() => gradbodyViewer.moment.drag[0] > 0);
  await when((z) => gradbodyViewer.moment.poses[9] > z + 0.1, start[2]);
  const force = await page.evaluate(() => Math.hypot(...gradbodyViewer.moment.drag.slice(5, 8)));
  const limit = await page.evaluate(() => gradbodyViewer.source.settings.drag_limit);
  assert.ok(force > 0 && force <= limit * 1.001, `${force} N of at most ${limit} N`);
  assert.match(await page.locator(".pull-label").textContent(), /N/);
  assert.ok((await page.evaluate(() => gradbodyViewer.spring.list.length)) === 1, "the spring is drawn");
  assert.ok((await channel("energy/pull")) > work + 0.01, "the work of the pull is reported");
  await page.mouse.up();
  await when(() => gradbodyViewer.moment.drag[0] === 0);
});

test("the chosen body can be pulled by keys", async () => {
  await page.evaluate(() => gradbodyViewer.select(0, 1));
  await page.locator("canvas.scene").focus();
  await page.keyboard.down("Alt");
  await page.keyboard.down("PageUp");
  await when(() => gradbodyViewer.moment.drag[0] > 0);
  await page.keyboard.up("PageUp");
  await page.keyboard.up("Alt");
  await when(() => gradbodyViewer.moment.drag[0] === 0);
});

test("sliders of joints, actuators and parameters act, and so do gravity, time step and solver", async () => {
  await send({ play: false });
  await when(() => gradbodyViewer.moment.paused);
  const set = (group, index, value) => page.evaluate(([g, k, v]) => gradbodyViewer.panels[g][k].change(v), [group, index, value]);
  const q = await page.evaluate(() => gradbodyViewer.panels.jointSliders[0].q);
  await set("jointSliders", 0, 0.3);
  await when((k) => Math.abs(gradbodyViewer.moment.q[k] - 0.3) < 1e-6, q);
  await set("actuatorSliders", 1, 0.5);
  await when(() => Math.abs(gradbodyViewer.moment.u[1] - 0.5) < 1e-6);
  const { name, value } = await page.evaluate(() => gradbodyViewer.source.settings.parameters[0]);
  await set("parameterSliders", 0, value * 1.5);
  await when(([n, v]) => Math.abs(gradbodyViewer.source.settings.parameters.find((p) => p.name === n).value / v - 1.5) < 1e-6, [name, value]);
  await send({ gravity: [0, 0, -1.62] });
  await when(() => gradbodyViewer.source.settings.gravity[2] === -1.62);
  await when(() => document.querySelector('[aria-label^="Gravity along z"]').value === "-1.62");
  await send({ time_step: 0.002 });
  await when(() => gradbodyViewer.source.settings.time_step === 0.002);
  const other = await page.evaluate(() => gradbodyViewer.source.settings.solvers.find((s) => s !== gradbodyViewer.source.settings.solver));
  await send({ solver: other });
  await when((s) => gradbodyViewer.source.settings.solver === s, other);
});

test("speed is shown as it really is, and reset goes to a keyframe", async () => {
  await send({ speed: 0.25 });
  await when(() => document.querySelector(".speed").value === "0.25");
  await page.evaluate(() => gradbodyViewer.source.reset("stand"));
  await when(() => gradbodyViewer.moment.time === 0);
  await send({ play: true });
  await when(() => gradbodyViewer.moment.time > 0.1);
  assert.match(await page.locator(".rate").textContent(), /^[\d.]+×$/);
  await send({ play: false });
});

test("channels are plotted by name while the simulation runs", async () => {
  await page.evaluate(() => gradbodyViewer.plots.show(true));
  await page.getByPlaceholder("Plot a channel…").fill("q:front");
  await page.keyboard.press("Enter");
  await send({ speed: 1 });
  await send({ play: true });
  await when(() => gradbodyViewer.plots.history.times.length > 20);
  const { names, points } = await page.evaluate(() => ({ names: gradbodyViewer.plots.entries.flatMap((e) => e.names), points: gradbodyViewer.plots.entries.at(-1).plot.data[1].filter((v) => v !== null).length }));
  assert.ok(names.some((name) => name.startsWith("q:")), names.join());
  assert.ok(points > 5, `${points} points`);
  const csv = await page.evaluate(() => gradbodyViewer.plots.csv());
  assert.ok(csv.split("\n").length > 20 && csv.startsWith("t [s],"));
  await page.evaluate(() => gradbodyViewer.plots.show(false));
});

test("a request that cannot be done is said in the page", async () => {
  await send({ parameter: { name: "no such number", value: 1 } });
  await when(() => !document.querySelector(".problem").hidden);
  assert.match(await page.locator(".problem").textContent(), /no such number/);
  await send({ play: false });
  await when(() => document.querySelector(".problem").hidden);
});

test("two pages see the same simulation", async () => {
  const other = await open(server.address);
  await send({ play: false });
  await when(() => gradbodyViewer.moment.paused);
  await send({ step: 1 }, other);
  const time = await page.evaluate(() => gradbodyViewer.source.moment.time);
  await when((t) => Math.abs(gradbodyViewer.moment.time - t) < 1e-9, time, other);
  assert.deepEqual(other.errors, []);
  await other.close();
});

test("a page that was closed finds the simulation again", async () => {
  const again = await open(server.address);
  assert.ok((await again.evaluate(() => gradbodyViewer.moment.time)) > 0);
  await again.close();
});

test("a page shows that the simulation has gone, and finds it again", async () => {
  await page.evaluate(() => gradbodyViewer.source.socket.close());
  await when(() => gradbodyViewer.root.dataset.connection === "lost");
  await when(() => gradbodyViewer.root.dataset.connection === "open" && document.querySelector(".cover").hidden);
});

test("the console has no errors", () => {
  assert.deepEqual(page.errors, []);
});

test("a model file that changed is loaded again, and the page says so; another world is followed by a click", async () => {
  const model = join(folder, "ant.xml");
  await copyFile(new URL("../../../../models/ant.xml", import.meta.url), model);
  const own = await serve(model, "--worlds", "4", "--paused");
  try {
    const many = await open(own.address);
    assert.equal(await many.evaluate(() => gradbodyViewer.worlds), 4);
    const [x, y] = await many.evaluate(() => {
      const { matrix } = gradbodyViewer.drawn().find((entry) => entry.world === 2 && entry.body === 1);
      return gradbodyViewer.onPage(matrix.slice(12, 15));
    });
    await many.mouse.click(x, y);
    await when(() => gradbodyViewer.source.settings.followed === 2, null, many);
    await writeFile(model, (await readFile(model, "utf8")).replace('type="sphere" size="0.25"', 'type="sphere" size="0.31"'));
    await when(() => !document.querySelector(".note-line").hidden && /changed/.test(document.querySelector(".note-line").textContent), null, many);
    await when(() => gradbodyViewer.scene.geometries.some((g) => Math.abs(g.size[0] - 0.31) < 1e-9), null, many);
    assert.deepEqual(many.errors, []);
    await many.close();
  } finally {
    await own.stop();
  }
});
