import type { Browser } from "playwright-core";
import { cliErrors } from "../errors.ts";
import { isProgram, playwrightChromium, systemChromium } from "./chromium-paths.js";

/** Launches Chromium. The application installs Playwright itself, because only this command needs it. */
export async function openBrowser(): Promise<Browser> {
  const playwright = await import("playwright-core").catch((error: unknown) => {
    throw cliErrors.chaosNeedsPlaywright(error);
  });
  const { chromium } = playwright;
  const executablePath =
    process.env.CHROMIUM_PATH ?? systemChromium() ?? playwrightChromium() ?? chromium.executablePath();
  if (!isProgram(executablePath)) throw cliErrors.chaosNeedsChromium(executablePath);
  return await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
}
