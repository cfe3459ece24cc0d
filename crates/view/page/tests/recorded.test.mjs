// The page with a recording whose every number is known, opened from a file without a server.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { openBrowser } from "./browser.mjs";
import { distance, geometryPosition, rotate } from "./geometry.mjs";
import { effectOf, savedPage, walkerPoses, walkerRecording, walkerScene } from "./made.mjs";

/** Distance by which a drawn body may be off [m]: f32 of graphics. */
const DRAWN = 1e-5;

let browser, page, folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gradbody-page-"));
  browser = await openBrowser({ width: 1000, height: 480 });
  page = await openSaved("walker.html", walkerRecording());
  // Each picture takes long without a graphics card; the tests say when to draw.
  await page.evaluate(() => {
    gradbodyViewer.source.play(false);
    gradbodyViewer.frozen = true;
  });
});

after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

async function openSaved(name, bytes, query = "?quality=draft") {
  const file = join(folder, name);
  await writeFile(file, await savedPage(bytes));
  return browser.page(pathToFileURL(file).href + query);
}

/** Goes to a time and draws. */
async function show(time) {
  await page.evaluate((t) => {
    gradbodyViewer.seek(t);
    gradbodyViewer.drawNow(0);
  }, time);
}

/** What a press of a key in the scene does. */
async function press(key) {
  await page.locator("canvas.scene").focus();
  await page.keyboard.press(key);
  await page.evaluate(() => gradbodyViewer.drawNow(0));
}

async function saved(name) {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 120_000 }), page.evaluate((button) => {
    [...document.querySelectorAll(".panels button")].find((node) => node.textContent === button).click();
  }, name)]);
  return readFile(await download.path());
}

function assertDrawn(drawn, scene, poses, world) {
  const visual = scene.geometries.filter((g) => g.role === "visual");
  const ours = drawn.filter((entry) => entry.world === world);
  assert.equal(ours.length, visual.length);
  for (const entry of ours) {
    const geometry = visual.find((g) => g.name === entry.name);
    const expected = geometryPosition(poses.slice(7 * geometry.body, 7 * geometry.body + 7), geometry);
    const off = distance(entry.position, expected);
    assert.ok(off < DRAWN, `${entry.name} is drawn ${off} m away from where it is`);
  }
}

test("bodies are drawn where the recording says, at each frame that is scrubbed to", async () => {
  const scene = walkerScene();
  for (const frame of [0, 37, 78, 240]) {
    await page.evaluate((value) => {
      const bar = document.querySelector(".scrub");
      bar.value = value;
      bar.dispatchEvent(new Event("input", { bubbles: true }));
      gradbodyViewer.drawNow(0);
    }, frame / 60);
    const drawn = await page.evaluate(() => gradbodyViewer.drawn());
    assertDrawn(drawn, scene, walkerPoses(frame / 60), 0);
  }
});

test("the time shown is that of the frame, and steps go by one frame", async () => {
  await show(1);
  await press("ArrowRight");
  assert.equal(await page.locator(".time").textContent(), "1.017 s");
  await press("ArrowLeft");
  await press("ArrowLeft");
  assert.equal(await page.locator(".time").textContent(), "0.983 s");
  assert.equal(await page.evaluate(() => gradbodyViewer.moment.index), 59);
});

test("contact arrows add up to the weight, and sliding differs from sticking by its mark", async () => {
  await show(1);
  const { forces, states, discs, rings, weight } = await page.evaluate(() => {
    const { contacts, weight } = gradbodyViewer;
    return { forces: contacts.drawnForces(), states: contacts.list.map((c) => c.state), discs: contacts.discs.used, rings: contacts.rings.used, weight };
  });
  const up = forces.reduce((sum, force) => sum + force[2], 0);
  assert.ok(Math.abs(up - weight) < 1e-3 * weight, `arrows add up to ${up} N, the weight is ${weight} N`);
  assert.deepEqual(states.sort(), ["sliding", "sliding", "sticking", "sticking"]);
  assert.deepEqual([discs, rings], [2, 2]);
  assert.match(await page.locator(".legend").textContent(), /sticking.*sliding/);
});

test("ghosts are drawn at their own poses, in their own look, and can be switched off", async () => {
  await show(0.5);
  const ghost = await page.evaluate(() => gradbodyViewer.drawn("before"));
  assertDrawn(ghost, walkerScene(), walkerPoses(0.5, [0.12, 0.05, 0], 0.2), 0);
  const looks = await page.evaluate(() => gradbodyViewer.layers.layers.map((layer) => layer.look?.hatched ?? null));
  assert.deepEqual(looks, [null, false, true]);
  await page.getByLabel("after", { exact: true }).uncheck();
  assert.equal(await page.evaluate(() => gradbodyViewer.layers.layers[2].bodies.group.visible), false);
  await page.getByLabel("after", { exact: true }).check();
});

test("residual plots follow the playhead, and a click on a plot goes to its time", async () => {
  await page.evaluate(() => {
    gradbodyViewer.panels.root.hidden = true;
    gradbodyViewer.plots.show(true);
  });
  await show(2);
  await page.waitForTimeout(200);
  await page.evaluate(() => gradbodyViewer.plots.update(gradbodyViewer.moment, true));
  const values = await page.locator('[aria-label="Plot of residual"] .plot-value').allTextContents();
  assert.match(values[1], /before/);
  const shown = Number(values[1].match(/-?[\d.]+$/)[0]) * (values[1].includes("−") ? -1 : 1);
  assert.ok(Math.abs(shown - Math.sin(11)) < 1e-3, `${values[1]} instead of ${Math.sin(11)}`);
  await page.evaluate(() => {
    const { plot } = gradbodyViewer.plots.entries[0];
    const { width, left, top } = plot.over.getBoundingClientRect();
    const at = { clientX: left + width / 4, clientY: top + 5, bubbles: true };
    plot.over.dispatchEvent(new MouseEvent("mousedown", at));
    plot.over.dispatchEvent(new MouseEvent("mouseup", at));
    plot.over.dispatchEvent(new MouseEvent("click", at));
    gradbodyViewer.drawNow(0);
  });
  const time = await page.evaluate(() => gradbodyViewer.moment.time);
  assert.ok(Math.abs(time - 1) < 0.05, `a click at a quarter of 4 s shows ${time} s`);
  await page.evaluate(() => (gradbodyViewer.panels.root.hidden = false));
});

test("gradient arrows point along the vectors of the recording, from the centres of mass", async () => {
  await show(1);
  const { list, arrows } = await page.evaluate(() => {
    const set = gradbodyViewer.vectors.sets[0];
    return { list: set.list, arrows: set.marks.list };
  });
  const trunk = list.find((entry) => entry.body === 1);
  const expected = [Math.sin(2), 0.6 * Math.cos(3), 0.8];
  assert.ok(distance(trunk.vector, expected) < 1e-6);
  const drawn = arrows[list.indexOf(trunk)];
  const cosine = drawn.vector.reduce((sum, v, k) => sum + v * expected[k], 0) / Math.hypot(...drawn.vector) / Math.hypot(...expected);
  assert.ok(cosine > 1 - 1e-9);
  const pose = walkerPoses(1).slice(7, 14);
  assert.ok(distance(drawn.point, geometryPosition(pose, { pose: [0.02, 0, 0] })) < DRAWN);
});

test("networks are drawn where they act: a torque about its axis, a force as an arrow, a change of friction as a mark", async () => {
  await show(1);
  const { list, used, text } = await page.evaluate(() => {
    const { effects } = gradbodyViewer;
    gradbodyViewer.panels.sayEffects(gradbodyViewer.moment);
    return { list: effects.list, used: [effects.marks.about.used, effects.marks.along.list.length, effects.marks.mark.used], text: gradbodyViewer.panels.effectsSection.textContent };
  });
  assert.deepEqual(used, [1, 1, 1]);
  const [hip, trunk, contact] = list;
  const poses = walkerPoses(1);
  const axis = rotate(poses.slice(17, 21), [0, 1, 0]);
  assert.ok(distance(hip.point, poses.slice(14, 17)) < DRAWN && distance(hip.vector, axis.map((a) => a * effectOf(1))) < 1e-5);
  assert.ok(distance(trunk.point, geometryPosition(poses.slice(7, 14), { pose: [0.1, 0, 0] })) < DRAWN);
  assert.ok(distance(contact.point, [0.3, 0.1, 0]) < DRAWN);
  // Names and numbers: without the network → with it.
  assert.match(text, /joint\/hip 1\/passive_torqueby the network “friction”1\.5 → 4\.34 N m/);
  assert.match(text, /friction_coefficient.*0\.8 → 0\.6/);
  await show(1 + 1 / 60);
  const later = await page.evaluate(() => {
    gradbodyViewer.panels.sayEffects(gradbodyViewer.moment);
    return [gradbodyViewer.effects.marks.mark.used, gradbodyViewer.panels.effectsSection.textContent];
  });
  assert.equal(later[0], 0, "the contact is not there any more");
  assert.match(later[1], /not acting now/);
  await page.getByLabel("joint/hip 1/passive_torque", { exact: true }).uncheck();
  await show(1);
  assert.equal(await page.evaluate(() => gradbodyViewer.effects.marks.about.used), 0);
  await page.getByLabel("joint/hip 1/passive_torque", { exact: true }).check();
});

test("what a network changes can be plotted, without it and with it", async () => {
  await show(1);
  const values = await page.evaluate(() => {
    const { recording } = gradbodyViewer.source;
    const { channels } = recording;
    const k = recording.indexAt(1);
    return ["without", "with", "change"].map((kind) => recording.values[k * channels.length + channels.findIndex(({ name }) => name === `network/joint/hip 1/passive_torque/${kind}`)]);
  });
  [1.5, 1.5 + effectOf(1), effectOf(1)].forEach((wanted, k) => assert.ok(Math.abs(values[k] - wanted) < 1e-5, `${values}`));
  const title = await page.evaluate(() => gradbodyViewer.plots.entries.map((entry) => entry.root.querySelector("h3").textContent));
  assert.ok(title.includes("network/joint/hip 1/passive_torque/without, with"), title.join("; "));
});

test("a point leaves the trail that the recording asks for", async () => {
  await show(2);
  const [count, first, last] = await page.evaluate(() => {
    const { geometry } = gradbodyViewer.paths.trails[0].line;
    const { count } = geometry.drawRange;
    const at = (k) => Array.from(geometry.attributes.position.array.slice(3 * k, 3 * k + 3));
    return [count, at(0), at(count - 1)];
  });
  assert.ok(count >= 60 && count <= 63, `${count} points of a second`);
  const tip = (time) => geometryPosition(walkerPoses(time).slice(7, 14), { pose: [0.3, 0, 0] });
  assert.ok(distance(last, tip(2)) < DRAWN && distance(first, tip(1)) < 0.02);
});

test("each motion is named in its colour and can be hidden by a click on its name", async () => {
  const names = page.locator(".ghosts button");
  assert.deepEqual(await names.allTextContents(), ["measured", "before", "after"]);
  await names.nth(1).click();
  assert.equal(await page.evaluate(() => gradbodyViewer.layers.layers[1].visible), false);
  assert.equal(await page.getByLabel("before", { exact: true }).first().isChecked(), false);
  await names.nth(1).click();
  assert.equal(await page.evaluate(() => gradbodyViewer.layers.layers[1].visible), true);
});

test("a mesh that was not found is drawn as a box, and the page says so", async () => {
  const drawn = await page.evaluate(() => gradbodyViewer.drawn().find((entry) => entry.name === "lost"));
  assert.ok(drawn);
  assert.match(await page.locator(".panels").textContent(), /lost\.stl was not found/);
});

test("keys switch overlays as in MuJoCo's viewer", async () => {
  for (const [key, name, marks] of [["m", "centres", "centres"], ["i", "inertia", "boxes"], ["j", "axes", "axes"], ["F6", "frames", "frames"]]) {
    await press(key);
    const used = await page.evaluate((set) => {
      const { [set]: marks } = gradbodyViewer.overlays;
      return (marks.heads ?? marks).used;
    }, marks);
    assert.ok(used >= 4, `${key} draws ${used} ${name}`);
    await press(key);
    assert.equal(await page.evaluate((set) => gradbodyViewer.shown[set], name), false);
  }
  await press("g");
  assert.ok(await page.evaluate(() => gradbodyViewer.drawn().every((entry) => entry.name !== "foot 1") && gradbodyViewer.drawn().some((entry) => entry.name === "foot 1 hit")));
  await press("g");
  await press("g");
  await press("c");
  assert.equal(await page.evaluate(() => gradbodyViewer.contacts.discs.used + gradbodyViewer.contacts.rings.used), 0);
  await press("c");
  await press("=");
  assert.equal(await page.evaluate(() => gradbodyViewer.source.speed), 2);
  await press("-");
  await press(" ");
  assert.equal(await page.evaluate(() => gradbodyViewer.source.playing), true);
  await press(" ");
  await press("Backspace");
  assert.equal(await page.evaluate(() => gradbodyViewer.moment.time), 0);
});

test("boxes of equal inertia stand where the body is", async () => {
  await show(1);
  await press("i");
  const at = await page.evaluate(() => Array.from(gradbodyViewer.overlays.boxes.mesh.instanceMatrix.array.slice(12, 15)));
  assert.ok(distance(at, geometryPosition(walkerPoses(1).slice(7, 14), { pose: [0.02, 0, 0] })) < DRAWN);
  await press("i");
});

test("a trail grows with the chosen body", async () => {
  await show(0);
  await press("]");
  await press("l");
  for (const time of [0.1, 0.2, 0.3]) await show(time);
  assert.ok((await page.evaluate(() => gradbodyViewer.overlays.trails.get(1).points.length)) >= 3);
  await press("l");
  await press("Escape");
});

test("every control can be reached and named by the keyboard", async () => {
  await page.locator("canvas.scene").focus();
  await page.keyboard.press("Tab");
  const inPanels = await page.evaluate(() => document.activeElement.closest(".panels") !== null);
  assert.ok(inPanels, "Tab goes from the scene to the panels");
  await page.keyboard.press("Escape");
  assert.ok(await page.evaluate(() => document.activeElement.matches("canvas.scene")), "Esc comes back to the scene");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll(".gradbody-viewer button, .gradbody-viewer input, .gradbody-viewer select")]
      .filter((node) => node.tabIndex < 0 || !(node.ariaLabel || node.textContent.trim() || node.closest("label")))
      .map((node) => node.outerHTML.slice(0, 120)));
  assert.deepEqual(nameless, []);
  await press("F1");
  assert.ok(await page.locator("dialog.help").isVisible());
  assert.match(await page.locator("dialog.help").textContent(), /Backspace/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog.help").isVisible(), false);
});

test("a picture is a PNG of what is seen", async () => {
  const bytes = await saved("Picture");
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  assert.ok(width > 50 && height > 50 && bytes.length > 2000, `${width} × ${height}, ${bytes.length} bytes`);
});

test("channels are saved as a table with a row for each time", async () => {
  const lines = (await saved("Channels")).toString().trim().split("\n");
  assert.match(lines[0], /^t \[s\],measured: trunk height \[m\],measured: residual,before: trunk height \[m\],before: residual,after: trunk height \[m\],after: residual,network\/joint/);
  assert.equal(lines.length, 242);
  const row = lines[121].split(",").map(Number);
  assert.ok(Math.abs(row[0] - 2) < 1e-6 && Math.abs(row[1] - (0.335 + 0.01 * Math.sin(16))) < 1e-6);
});

test("the scene is saved as GLB with a node for each body and its motion", async () => {
  const bytes = await saved("Scene");
  assert.equal(bytes.subarray(0, 4).toString(), "glTF");
  assert.equal(bytes.readUInt32LE(8), bytes.length);
  const gltf = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
  const names = gltf.nodes.map((node) => node.name);
  for (const body of walkerScene().bodies) assert.ok(names.includes(body), `no node ${body}`);
  assert.ok(gltf.animations[0].channels.length >= 10);
  const leg = gltf.nodes.find((node) => node.name === "leg 1");
  const now = await page.evaluate(() => gradbodyViewer.moment.time);
  assert.ok(distance(leg.translation, walkerPoses(now).slice(14, 17)) < DRAWN);
});

test("a video of what is seen is a WebM that the browser plays", async () => {
  await page.evaluate(() => gradbodyViewer.saveVideo());
  for (const time of [0.2, 0.4, 0.6]) {
    await show(time);
    await page.evaluate(() => gradbodyViewer.filming.frame(performance.now()));
    await page.waitForTimeout(150);
  }
  const bytes = await saved("End video");
  assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3);
  const played = await page.evaluate(async (data) => {
    const video = document.createElement("video");
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: "video/webm" }));
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error(video.error.message));
    });
    return [video.videoWidth, video.videoHeight, video.duration];
  }, bytes.toString("base64"));
  assert.ok(played[0] > 50 && played[1] > 50 && played[2] > 0.1, String(played));
});

test("the page asked nothing of the network and its console has no errors", async () => {
  assert.deepEqual(page.errors, []);
});

test("many worlds stand in a grid; a click on one follows it", async () => {
  const many = await openSaved("many.html", walkerRecording({ worlds: 4, ghosts: false, arrows: false, seconds: 0.5 }));
  await many.evaluate(() => gradbodyViewer.seek(0.25));
  await many.evaluate(() => gradbodyViewer.drawNow(0));
  const { drawn, offsets, calls } = await many.evaluate(() => ({ drawn: gradbodyViewer.drawn(), offsets: gradbodyViewer.offsets, calls: gradbodyViewer.stats.calls }));
  for (const world of [0, 1, 2, 3]) assertDrawn(drawn, walkerScene(), walkerPoses(0.25 + 0.2 * world), world);
  assert.equal(new Set(offsets.map(String)).size, 4);
  assert.ok(calls < 40, `${calls} draw calls: worlds must share them`);
  const [x, y] = await many.evaluate(() => {
    const { matrix } = gradbodyViewer.drawn().find((entry) => entry.world === 3 && entry.name === "trunk");
    return gradbodyViewer.onPage(matrix.slice(12, 15));
  });
  await many.mouse.click(x, y);
  assert.equal(await many.evaluate(() => gradbodyViewer.followed), 3);
  assert.deepEqual(many.errors, []);
  await many.close();
});

test("a video of a recording is rendered frame by frame", async () => {
  const film = await browser.page();
  const file = join(folder, "film.html");
  await writeFile(file, await savedPage(walkerRecording({ ghosts: false, arrows: false, seconds: 0.2 })));
  await film.goto(`${pathToFileURL(file).href}?quality=draft&video&width=320&height=240&fps=30`);
  await film.waitForFunction(() => window.gradbodyVideo, null, { timeout: 150_000, polling: 200 });
  const { error, size } = await film.evaluate(() => ({ error: gradbodyVideo.error, size: gradbodyVideo.bytes?.length }));
  assert.equal(error, undefined);
  assert.ok(size > 2000, `${size} bytes`);
  await film.close();
});
