/**
 * What does a cached page cost, beside the same page that is rendered for each request, one that the build has made,
 * and a file of the same bytes from the same server? Targets: at least 15 times as many requests per second as
 * rendered, and at most 1.2 times the processor time of the file; prerendered costs as much as the file. Beside them:
 * the same list from Next and Astro, and from `node:http` without any framework. All alternate, round by round, so that
 * a busy minute affects all of them: a ratio is the median of those of the rounds.
 *
 *     npm run bench -- caching --rounds 9 --seconds 1
 *     npm run bench -- caching --alone    without Next and Astro
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { median } from "../kit/median.ts";
import { type Measured, measureLoad } from "../pages/measure-load.ts";
import { command, prepare } from "../pages/prepare.ts";
import { ServerProcess, type Startable } from "../pages/server-process.ts";
import { peers } from "./peers.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "1" },
    alone: { type: "boolean", default: false },
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
const open = (startable: Startable): Promise<ServerProcess> => ServerProcess.start(startable);
const holdfast: Startable = { contender, folder };

const compared = values.alone ? [] : peers;
const others = await Promise.all(
  compared.map((peer) => prepare(peer, (what) => console.error(`${peer.title}: ${what}`))),
);

// The file is the page as the server sends it.
await rm(publicFolder, { recursive: true, force: true });
await build();
const first = await open(holdfast);
const html = await (await fetch(`${first.url}/cached`)).text();
await first.stop();
await mkdir(publicFolder);
await writeFile(path.join(publicFolder, "items.html"), html);
await build();
await rm(publicFolder, { recursive: true, force: true });

const bare = {
  ...contender,
  name: "bare",
  title: "node:http alone",
  start: ["node", path.join(import.meta.dirname, "bare-server.ts")],
  env: { BARE_TEXT: html },
};
const served: { server: ServerProcess; rows: Readonly<Record<string, string>> }[] = [
  { server: await open(holdfast), rows: targets },
  { server: await open({ contender: bare, folder }), rows: { "`node:http` alone": "/" } },
];
for (const [at, { rows }] of compared.entries()) {
  const prepared = others[at];
  if (prepared) served.push({ server: await open(prepared), rows });
}

const rounds = new Map<string, Measured[]>();
for (let round = 0; round < Number(values.rounds); round++)
  for (const { server, rows } of served)
    for (const [name, target] of Object.entries(rows)) {
      const load = { path: target, headers, warmUpSeconds: 1, seconds: Number(values.seconds) };
      rounds.set(name, [...(rounds.get(name) ?? []), await measureLoad(server, load)]);
    }
for (const { server } of served) await server.stop();

const all = (name: string, measure: keyof Measured): number[] => (rounds.get(name) ?? []).map((one) => one[measure]);
const of = (name: string, measure: keyof Measured): number => median(all(name, measure));
const against = (name: string, other: string, measure: keyof Measured): number => {
  const others = all(other, measure);
  return median(all(name, measure).map((one, round) => one / (others[round] ?? Number.NaN)));
};
const spread = (name: string): string => {
  const micros = all(name, "micros");
  return `${Math.min(...micros).toFixed(0)}–${Math.max(...micros).toFixed(0)}`;
};
console.log(
  `| ${html.length} bytes of HTML | requests a second | against rendered | processor µs | against the file |`,
);
console.log("|---|---:|---:|---:|---:|");
for (const name of rounds.keys()) {
  const [perSecond, micros] = [of(name, "perSecond"), of(name, "micros")];
  const cells = [
    perSecond.toFixed(0),
    against(name, "rendered", "perSecond").toFixed(1),
    `${micros.toFixed(0)} (${spread(name)})`,
    against(name, "file", "micros").toFixed(2),
  ];
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
