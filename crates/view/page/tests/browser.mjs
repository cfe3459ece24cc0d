// Chromium for the tests: Debian's, without a display, drawing in software.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

import { chromium } from "playwright-core";

const FLAGS = [
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];

/** A page that a test has changed counts as one from elsewhere, which may not speak to this machine. */
const FRESH = process.env.GRADBODY_FRESH ? ["--disable-features=LocalNetworkAccessChecks"] : [];

/** A browser with a folder of its own. `page` opens a page that remembers its errors; `close` ends it. */
export async function openBrowser({ width = 1280, height = 800, colourScheme = "light" } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "gradbody-chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: process.env.GRADBODY_CHROMIUM ?? "/usr/bin/chromium", headless: true, args: [...FLAGS, ...FRESH], viewport: { width, height }, colorScheme: colourScheme, acceptDownloads: true,
  });
  return {
    context,
    async page(address) {
      const page = await context.newPage();
      page.errors = [];
      page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
      page.on("pageerror", (error) => page.errors.push(String(error.stack ?? error)));
      if (process.env.GRADBODY_FRESH) await page.route((url) => url.pathname === "/", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ contentType: "text/html; charset=utf-8", body: await fresh(await response.text()) });
      });
      if (address) {
        await page.goto(address);
        await page.waitForFunction(() => window.gradbodyViewer?.stats.frames > 0, null, { timeout: 150_000, polling: 200 });
      }
      return page;
    },
    async close() {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A page or report of the program with the script and style of dist/ instead of those that were built into the program. With GRADBODY_FRESH set,
 * pages of a server are changed like this, so that one can work at the page without building the program each time.
 */
export async function fresh(html) {
  const [script, style] = await Promise.all(["viewer.js", "viewer.css"].map((file) => readFile(new URL(`../dist/${file}`, import.meta.url), "utf8")));
  if (html.includes('id="viewer-script"')) {
    const packed = (text) => (_, tag) => `${tag}${deflateSync(Buffer.from(text)).toString("base64")}</script>`;
    return html.replace(/(<script [^>]*id="viewer-script"[^>]*>)[^<]*<\/script>/, packed(script)).replace(/(<script [^>]*id="viewer-style"[^>]*>)[^<]*<\/script>/, packed(style));
  }
  return html.replace(/<style>[^]*?<\/style>/, () => `<style>${style}</style>`).replace(/<script>[^]*?<\/script>/, () => `<script>${script}</script>`);
}
