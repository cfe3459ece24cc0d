// Builds dist/viewer.js and dist/viewer.css, which the Rust crate embeds. With --check it only tells whether the files in
// dist/ are what this would write.

import { build } from "esbuild";
import { readFile } from "node:fs/promises";

/** Largest size of the script [bytes]. A report carries it once. */
const LARGEST = 900_000;

const options = {
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  logLevel: "warning",
  absWorkingDir: import.meta.dirname,
};

/** The licences of both libraries (MIT) ask for their notice in every copy. */
const NOTICE = "/*! gradbody's viewer, with three.js (MIT, Copyright © 2010-2026 three.js authors) and uPlot (MIT, Copyright (c) 2022 Leon Sorokin) */";

const outputs = [
  { ...options, entryPoints: ["src/main.js"], outfile: "dist/viewer.js", banner: { js: NOTICE } },
  { ...options, entryPoints: ["src/style.css"], outfile: "dist/viewer.css" },
];

const check = process.argv.includes("--check");
for (const output of outputs) {
  const result = await build({ ...output, write: !check });
  const built = check ? result.outputFiles[0].text : await readFile(output.outfile, "utf8");
  if (/<\/script/i.test(built)) {
    fail(`${output.outfile} contains an end tag of a script, which would end the script of a saved page`);
  }
  if (built.length > LARGEST) {
    fail(`${output.outfile} has ${built.length} bytes, more than ${LARGEST}`);
  }
  if (check && built !== (await readFile(output.outfile, "utf8").catch(() => ""))) {
    fail(`${output.outfile} is not what src/ gives; run \`npm ci && node build.mjs\` in crates/view/page`);
  }
  console.log(`${output.outfile}: ${built.length} bytes${check ? ", up to date" : ""}`);
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(1);
}
