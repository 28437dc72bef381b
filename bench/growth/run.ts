/**
 * How do the costs of a request grow: with the links of a page, with its data, with the visitors at once, with the
 * routes of the application? Beside plain react-dom on `node:http`, in turn. `--only routes` measures the curves whose
 * file has this word in its name. `--keep` draws them into `bench/pages/results`.
 *
 *     npm run bench -- growth --rounds 3 --seconds 1 --keep
 *     npm run bench -- growth --of service [--sizes 1000,10000,100000,1000000] --keep
 *
 * The second one is about the service, by the events that it keeps: a million take at least ten minutes.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { median } from "../kit/median.ts";
import { measureLoad } from "../pages/measure-load.ts";
import { command } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";
import { type Curve, drawCurve } from "./curve.ts";
import { linksOfRoute, startRoutes } from "./routes-app.ts";
import { measureServiceGrowth } from "./service.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    keep: { type: "boolean", default: false },
    of: { type: "string", default: "pages" },
    sizes: { type: "string", default: "1000,10000,100000,1000000" },
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

interface Growth {
  file: string;
  title: string;
  x: string;
  sizes: readonly number[];
  load(size: number): { path: string; connections?: number };
  /** What the floor calls the same page. */
  floorPath?(size: number): string;
  /** Whether each size is an application of its own. */
  isRoutes?: boolean;
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
  {
    file: "growth-routes-document",
    title: "Processor time of a document, by the routes of the application",
    x: "routes",
    sizes: [10, 100, 1_000, 5_000],
    load: (size) => ({ path: `/r${size / 2}` }),
    floorPath: () => `/links/${linksOfRoute}`,
    isRoutes: true,
  },
  {
    file: "growth-routes-data",
    title: "Processor time of page data, by the routes of the application",
    x: "routes",
    sizes: [10, 100, 1_000, 5_000],
    load: (size) => ({ path: `/r${size / 2}/_data` }),
    floorPath: () => `/links-data/${linksOfRoute}`,
    isRoutes: true,
  },
];

const wanted = growths.filter(({ file }) => file.includes(values.only));
const servers = new Map<string, ServerProcess>();
if (values.of === "service") await measureServiceGrowth(values.sizes.split(",").map(Number), values.keep);
else await measurePages();

async function measurePages(): Promise<void> {
  try {
    servers.set("floor", await ServerProcess.start({ contender: contenders.floor, folder }));
    for (const size of new Set(wanted.flatMap(({ isRoutes, sizes }) => (isRoutes ? sizes : []))))
      servers.set(`Holdfast ${size}`, await startRoutes(contenders.Holdfast, size));
    if (wanted.some(({ isRoutes }) => !isRoutes)) {
      await command(contenders.Holdfast, contenders.Holdfast.build, folder, 0);
      servers.set("Holdfast", await ServerProcess.start({ contender: contenders.Holdfast, folder }));
    }
    for (const growth of wanted) {
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
}

async function measure(growth: Growth): Promise<Curve> {
  const micros = new Map<string, number[]>();
  for (let round = 0; round < Number(values.rounds); round++)
    for (const size of growth.sizes)
      for (const name of Object.keys(contenders)) {
        const server = servers.get(name === "Holdfast" && growth.isRoutes ? `${name} ${size}` : name);
        if (!server) throw new Error(`There is no server of ${name} for ${growth.title}.`);
        // The server of each size is a process of its own, whose code is compiled while it answers.
        const warmUpSeconds = growth.isRoutes ? 3 : 1;
        const load = { headers: {}, warmUpSeconds, seconds: Number(values.seconds), ...growth.load(size) };
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
