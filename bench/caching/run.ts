/**
 * What does a cached page cost, beside the same page that is rendered for each request, one that the build has made,
 * and a file of the same bytes from the same server? Targets: at least 15 times as many requests per second as
 * rendered, and at most 1.2 times the processor time of the file; prerendered costs as much as the file. All alternate,
 * round by round, so that a busy minute affects all of them.
 *
 *     npm run bench -- caching --rounds 5 --seconds 2
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { median } from "../kit/median.ts";
import { type Measured, measureLoad } from "../pages/measure-load.ts";
import { command } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
  },
});

const folder = path.join(import.meta.dirname, "app");
const contender = {
  name: "caching",
  title: "Holdfast",
  sources: folder,
  build: ["node", "$HOLDFAST", "build", "."],
  start: ["node", "$HOLDFAST", "start", "."],
  env: { HOST: "127.0.0.1", HOLDFAST_DATA: ".holdfast/measured" },
};
const prepared = { contender, folder, installedPackages: 0, installedMegabytes: 0, buildSeconds: 0 };
/** As browsers send it. */
const headers = { "accept-encoding": "gzip, deflate, br, zstd" };
const targets = {
  rendered: "/items",
  cached: "/cached",
  "cached data": "/cached/_data",
  prerendered: "/made",
  "prerendered data": "/made/_data",
  file: "/items.html",
};

const publicFolder = path.join(folder, "public");
const build = (): Promise<unknown> => command(contender, contender.build, folder, 0);
const open = (): Promise<ServerProcess> => ServerProcess.start(prepared, 4_300 + Math.floor(Math.random() * 600));

// The file is the page as the server sends it.
await rm(publicFolder, { recursive: true, force: true });
await build();
const first = await open();
const html = await (await fetch(`${first.url}/cached`)).text();
await first.stop();
await mkdir(publicFolder);
await writeFile(path.join(publicFolder, "items.html"), html);
await build();
await rm(publicFolder, { recursive: true, force: true });

const rounds = new Map<string, Measured[]>(Object.keys(targets).map((name) => [name, []]));
const server = await open();
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, target] of Object.entries(targets))
    rounds
      .get(name)
      ?.push(await measureLoad(server, { path: target, headers, warmUpSeconds: 1, seconds: Number(values.seconds) }));
await server.stop();

const of = (name: string, measure: keyof Measured): number =>
  median((rounds.get(name) ?? []).map((one) => one[measure]));
console.log(
  `| ${html.length} bytes of HTML | requests a second | against rendered | processor µs | against the file |`,
);
console.log("|---|---:|---:|---:|---:|");
for (const name of Object.keys(targets)) {
  const [perSecond, micros] = [of(name, "perSecond"), of(name, "micros")];
  const cells = [
    perSecond.toFixed(0),
    (perSecond / of("rendered", "perSecond")).toFixed(1),
    micros.toFixed(0),
    (micros / of("file", "micros")).toFixed(2),
  ];
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
