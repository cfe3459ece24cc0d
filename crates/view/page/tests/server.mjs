// The program `gradbody`, as the tests start it.

import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const ROOT = new URL("../../../..", import.meta.url).pathname;

/** The built program: that of the environment, else the newest build of this checkout. */
export const PROGRAM = process.env.GRADBODY ?? ["target/release/gradbody", "target/debug/gradbody"].map((file) => ROOT + file).find(existsSync);

/** Runs the program to its end. */
export async function run(...args) {
  return promisify(execFile)(PROGRAM, args, { cwd: ROOT });
}

/** Starts `gradbody view … --headless`: its address, and how to stop it. */
export async function serve(...args) {
  const child = spawn(PROGRAM, ["view", ...args, "--headless"], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const address = await new Promise((resolve, reject) => {
    const hear = (data) => {
      said += data;
      const found = said.match(/http:\/\/127\.0\.0\.1:\d+\/\S*token=[\w-]+/);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (status) => reject(new Error(`gradbody view ended with ${status}: ${said}`)));
  });
  return {
    address,
    port: Number(new URL(address).port),
    async stop() {
      if (child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGINT");
      const late = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(late);
    },
  };
}
