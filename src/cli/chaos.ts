import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { readEnvironmentFiles } from "#build/environment-files";
import { faults } from "./chaos/faults.ts";
import { findDestinations } from "./chaos/find-destinations.ts";
import { openBrowser } from "./chaos/open-browser.ts";
import { type ClickDestination, type Ending, tryClick } from "./chaos/try-click.ts";
import type { Command } from "./command.ts";
import { startPrivately } from "./replay/start-privately.ts";
import type { Terminal } from "./terminal.ts";

/** Clicks mostly wait for deadlines; more at once would measure the machine. */
const atOnce = 4;

export const chaosCommand: Command = {
  usage: "chaos [FOLDER] [--url U] [--from PATH] [--links N]",
  description: "clicks through the built application with faults, and reports which clicks end badly",
  options: {
    "--url U": "a running application, instead of the build in FOLDER",
    "--from PATH": "the page whose links are clicked; /",
    "--links N": "how many links; 8",
  },
  run: async (args, terminal) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: { type: "string" },
        from: { type: "string", default: "/" },
        links: { type: "string", default: "8" },
      },
    });
    const browser = await openBrowser();
    try {
      if (values.url !== undefined)
        return await breakThings(browser, new URL(values.from, values.url).href, Number(values.links), terminal);
      const root = path.resolve(positionals[0] ?? ".");
      readEnvironmentFiles(root, "production");
      await using app = await startPrivately(root);
      return await breakThings(browser, new URL(values.from, app.url).href, Number(values.links), terminal);
    } finally {
      await browser.close();
    }
  },
};

/** Tries every link with every fault; the exit code is 0 if all clicks ended well. */
async function breakThings(browser: Browser, from: string, links: number, terminal: Terminal): Promise<number> {
  const destinations = await findDestinations(browser, from, links);
  if (destinations.length === 0) {
    terminal.warn(`${from} has no link to another page of the application. Name another page with --from.`);
    return 1;
  }
  const clicks = destinations.flatMap((to) => faults.map((fault) => ({ to, fault })));
  const endings = new Map<(typeof clicks)[number], Ending>();
  const waiting = clicks.values();
  const clickOn = async (): Promise<void> => {
    for (const click of waiting) endings.set(click, await tryClick(browser, from, click.to, click.fault));
  };
  await Promise.all(Array.from({ length: atOnce }, clickOn));

  let last: ClickDestination | undefined;
  for (const click of clicks) {
    const ending = endings.get(click);
    if (click.to !== last) terminal.print(`\n${click.to.heading || click.to.title}  ${click.to.href}`);
    if (ending) terminal.print(`  ${click.fault.name.padEnd(42)}${sentence(ending)}`);
    last = click.to;
  }
  const dead = [...endings.values()].filter(({ kind }) => kind === "dead-end").length;
  terminal.print(`\n${clicks.length} clicks, ${dead} ended badly.`);
  return dead === 0 ? 0 : 1;
}

function sentence(ending: Ending): string {
  switch (ending.kind) {
    case "arrived":
      return `arrived after ${(ending.ms / 1_000).toFixed(1)} s${ending.fullLoad ? " by a full load" : ""}`;
    case "waited":
      return "stayed, said so, and arrived once the connection was back";
    case "dead-end":
      return `DEAD END: the visitor was left with ${ending.left}`;
  }
}
