import { HoldfastError } from "#errors";

/** Every error the command line itself can raise. Codes are permanent. */
export const cliErrors = {
  chaosNeedsPlaywright: (cause: unknown): HoldfastError =>
    new HoldfastError(
      "chaos-needs-playwright",
      "`holdfast chaos` clicks through a real browser and found no playwright-core to do it with.",
      "Install it: npm install --save-dev playwright-core.",
      { cause },
    ),
  chaosNeedsChromium: (path: string): HoldfastError =>
    new HoldfastError(
      "chaos-needs-chromium",
      `\`holdfast chaos\` found no Chromium at ${path}.`,
      "Install Chromium, run `npx playwright-core install chromium`, or name the program in CHROMIUM_PATH.",
    ),
} as const;
