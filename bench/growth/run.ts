/**
 * How do the costs of a request grow: with the links of a page, with its data, with the visitors at once? Beside plain
 * react-dom on `node:http`, in turn. `--keep` draws the curves into `bench/pages/results`.
 *
 *     npm run bench -- growth --rounds 3 --seconds 1 --keep
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { median } from "../kit/median.ts";
import { measureLoad } from "../pages/measure-load.ts";
import { command } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";
import { type Curve, drawCurve } from "./curve.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
});

const folder = path.join(import.meta.dirname, "app");
const shared = { sources: folder, env: { HOST: "127.0.0.1", HOLDFAST_DATA: ".holdfast/measured" } };
const contenders = {
  Holdfast: {
    ...shared,
    ...{ name: "growth", title: "Holdfast", color: "#0a7d5a" },
    build: ["node", "$HOLDFAST", "build", "."],
    start: ["node", "$HOLDFAST", "start", "."],
  },
  floor: {
    ...shared,
    ...{ name: "growth-floor", title: "floor", color: "#8a5a00", build: [] },
    start: ["node", path.join(import.meta.dirname, "floor-server.ts")],
  },
};
const unweighed = { folder, installedPackages: 0, installedMegabytes: 0, buildSeconds: 0 };

interface Growth {
  file: string;
  title: string;
  x: string;
  sizes: readonly number[];
  load(size: number): { path: string; connections?: number };
  /** What the floor calls the same page. */
  floorPath?(size: number): string;
}

const growths: readonly Growth[] = [
  {
    file: "growth-links",
    title: "Processor time of a document, by its links",
    x: "links",
    sizes: [1, 10, 100, 1_000, 10_000],
    load: (size) => ({ path: `/links/${size}` }),
  },
  {
    file: "growth-data",
    title: "Processor time of page data, by its bytes",
    x: "bytes",
    sizes: [1_000, 10_000, 100_000, 1_000_000, 5_000_000],
    // Four responses of 5 MB keep a server as busy as 32 small ones.
    load: (size) => ({ path: `/data/${size}/_data`, connections: size < 1_000_000 ? 32 : 4 }),
    floorPath: (size) => `/data/${size}`,
  },
  {
    file: "growth-visitors",
    title: "Processor time of a document of 100 links, by the visitors at once",
    x: "visitors",
    sizes: [1, 10, 100, 1_000],
    load: (size) => ({ path: "/links/100", connections: size }),
  },
];

await command(contenders.Holdfast, contenders.Holdfast.build, folder, 0);
const servers = new Map<string, ServerProcess>();
for (const [name, contender] of Object.entries(contenders))
  servers.set(name, await ServerProcess.start({ contender, ...unweighed }, 4_300 + Math.floor(Math.random() * 600)));
try {
  for (const growth of growths) {
    const curve = await measure(growth);
    console.log(table(curve));
    if (!values.keep) continue;
    const results = path.join(import.meta.dirname, "../pages/results");
    await mkdir(results, { recursive: true });
    await writeFile(path.join(results, `${growth.file}.svg`), drawCurve(curve));
  }
} finally {
  for (const server of servers.values()) await server.stop();
}

async function measure(growth: Growth): Promise<Curve> {
  const micros = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++)
    for (const size of growth.sizes)
      for (const [name, server] of servers) {
        const load = { headers: {}, warmUpSeconds: 1, seconds: Number(values.seconds), ...growth.load(size) };
        if (name === "floor" && growth.floorPath) load.path = growth.floorPath(size);
        const measured = await measureLoad(server, load);
        const key = `${name} ${size}`;
        micros.set(key, [...(micros.get(key) ?? []), measured.micros]);
      }
  const lines = Object.entries(contenders).map(([name, { color }]) => ({
    ...{ name, color },
    points: growth.sizes.map((size) => [size, median(micros.get(`${name} ${size}`) ?? [])] as const),
  }));
  return { title: growth.title, x: growth.x, y: "µs", lines };
}

function table({ title, x, lines: [holdfast, floor] }: Curve): string {
  const rows = (holdfast?.points ?? []).map(([size, micros], at) => {
    const least = floor?.points[at]?.[1] ?? Number.NaN;
    return `| ${size} | ${micros.toFixed(0)} | ${least.toFixed(0)} | ${(micros / least).toFixed(2)} |`;
  });
  return [`\n### ${title}\n`, `| ${x} | Holdfast µs | floor µs | × floor |`, "|---:|---:|---:|---:|", ...rows].join(
    "\n",
  );
}
