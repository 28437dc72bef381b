/**
 * Renews the screenshots of the console in `docs/console`, from a shop after a bad day:
 *
 *   node --conditions=holdfast-source tests/journeys/console/pictures.ts
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "../../../scripts/build.js";
import { root } from "../../../scripts/root.js";
import { openBrowser } from "../../kit/browser.ts";
import { startApp } from "../../kit/running-app.ts";
import { smallPng } from "../../kit/small-png.ts";
import { fillShop } from "./shop.ts";

const folder = join(root, "docs/console");
await buildPackage();
const app = await startApp({ app: "tests/fixtures/watched" });
const browser = await openBrowser("UTC");
try {
  const { event, trace } = await fillShop(app);
  mkdirSync(folder, { recursive: true });
  const screens: readonly (readonly [name: string, address: string, look?: { dark?: boolean; phone?: boolean }])[] = [
    ["overview", ""],
    ["issues", "/issues"],
    ["issue", "/issues/1"],
    ["event", `/events/${event}`],
    ["event-phone", `/events/${event}`, { phone: true, dark: true }],
    ["trace", `/traces/${trace.id}?span=${trace.span}`],
    ["pages", "/pages"],
    ["feedback", "/feedback"],
    ["releases", "/releases"],
    ["release", "/releases/named?name=shop%402.4.1"],
    ["schedules", "/schedules"],
    ["live", "/live"],
    ["settings", "/settings"],
  ];
  for (const [name, address, look = {}] of screens) {
    const viewport = look.phone ? { width: 390, height: 844 } : { width: 1280, height: 760 };
    const page = await browser.newPage({ viewport, colorScheme: look.dark ? "dark" : "light" });
    await page.goto(`${app.url}/_holdfast/1${address}`);
    await page.locator("html[data-holdfast=alive]").waitFor();
    writeFileSync(join(folder, `${name}.png`), smallPng(await page.screenshot()));
    await page.close();
    console.log(`docs/console/${name}.png`);
  }
} finally {
  await browser.close();
  await app.stop();
}
