import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";
import { cliErrors } from "../errors.ts";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A Chromium to break things in. Playwright is the application's to install: nobody else needs it. */
export async function openBrowser(): Promise<Browser> {
  const playwright = await import("playwright-core").catch((error: unknown) => {
    throw cliErrors.chaosNeedsPlaywright(error);
  });
  const { chromium } = playwright;
  const executablePath = process.env.CHROMIUM_PATH ?? systemChromium() ?? chromium.executablePath();
  if (!existsSync(executablePath)) throw cliErrors.chaosNeedsChromium(executablePath);
  return await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}

function systemChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}
