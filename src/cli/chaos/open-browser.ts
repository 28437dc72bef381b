import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";
import { HoldfastError } from "#errors";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A Chromium to break things in. Playwright is the application's to install: nobody else needs it. */
export async function openBrowser(): Promise<Browser> {
  const playwright = await import("playwright-core").catch((error: unknown) => {
    throw new HoldfastError(
      "chaos-needs-playwright",
      "`holdfast chaos` clicks through a real browser and found no playwright-core to do it with.",
      "Install it: npm install --save-dev playwright-core.",
      { cause: error },
    );
  });
  const { chromium } = playwright;
  const executablePath = process.env.CHROMIUM_PATH ?? systemChromium() ?? chromium.executablePath();
  if (!existsSync(executablePath))
    throw new HoldfastError(
      "chaos-needs-chromium",
      `\`holdfast chaos\` found no Chromium at ${executablePath}.`,
      "Install Chromium, run `npx playwright-core install chromium`, or name the program in CHROMIUM_PATH.",
    );
  return await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

function systemChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}
