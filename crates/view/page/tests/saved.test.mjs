// Pages that `gradbody view --save` writes, against the run that the program wrote.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { fresh, openBrowser } from "./browser.mjs";
import { distance } from "./geometry.mjs";
import { run } from "./server.mjs";

/** Distance by which a drawn body may be off [m]: f32 of recordings and graphics. */
const DRAWN = 1e-5;
/** Largest page with ten seconds of a humanoid [bytes]. */
const LARGEST = 3_000_000;

let folder, browser;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gradbody-saved-"));
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

test("a saved run is drawn where the run's table has its torso", async () => {
  const [table, html] = ["run.csv", "run.html"].map((name) => join(folder, name));
  await run("simulate", "ant", "--time", "0.5", "--out", table);
  await run("view", table, "--model", "ant", "--save", html);
  if (process.env.GRADBODY_FRESH) await writeFile(html, await fresh(await readFile(html, "utf8")));
  const rows = (await readFile(table, "utf8")).trim().split("\n").map((line) => line.split(","));
  const columns = ["t", "q:root/x", "q:root/y", "q:root/z"].map((name) => rows[0].indexOf(name));
  browser = await openBrowser({ width: 700, height: 400 });
  const page = await browser.page(`${pathToFileURL(html).href}?quality=draft`);
  for (const row of [rows[1], rows[20], rows.at(-1)]) {
    const [time, ...torso] = columns.map((column) => Number(row[column]));
    const drawn = await page.evaluate((t) => {
      gradbodyViewer.seek(t);
      gradbodyViewer.drawNow(0);
      return gradbodyViewer.drawn().find((entry) => entry.name === "torso").position;
    }, time);
    assert.ok(distance(drawn, torso) < DRAWN, `at ${time} s the torso is drawn at ${drawn}, not at ${torso}`);
  }
  assert.deepEqual(page.errors, []);
});

test("ten seconds of a humanoid are a small page", async () => {
  const html = join(folder, "humanoid.html");
  await run("view", "humanoid", "--time", "10", "--save", html);
  const { size } = await stat(html);
  assert.ok(size <= LARGEST, `${size} bytes`);
});
