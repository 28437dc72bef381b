import { ownLimitNames } from "#bounds";
import type { ServerLimits } from "./limits.ts";

/** The values that an application may give a limit, and why they end there. */
export interface LimitRange {
  least: number;
  /** Why not less. */
  leastWhy: string;
  most: number;
  /** Why not more. */
  mostWhy: string;
  unit: "seconds" | "bytes" | "number";
}

const KiB = 1_024;
const GiB = 1_073_741_824;

const failsAtOnce = "a busy server would fail at once";

/** Limits that a route or action may set for itself. The configuration sets them for all. */
export const ownRanges: Readonly<Record<"load" | "work" | "bodyBytes" | "uploadBytes" | "files", LimitRange>> = {
  /** A load or guard. Two seconds below the 30 that a browser waits leave time for the response. */
  load: {
    least: 0.1,
    leastWhy: failsAtOnce,
    most: 28,
    mostWhy: "a browser waits 30 seconds for a page; return what is slower as a promise, or let a queue do it",
    unit: "seconds",
  },
  /** An action or API route. */
  work: { least: 0.1, leastWhy: failsAtOnce, most: 3_600, mostWhy: "a queue does what takes longer", unit: "seconds" },
  bodyBytes: {
    least: KiB,
    leastWhy: "fields of the framework itself need as much",
    most: GiB,
    mostWhy: "it is in memory as a whole; files of an upload are not",
    unit: "bytes",
  },
  uploadBytes: {
    least: KiB,
    leastWhy: "less fits into a field",
    most: 1_024 * GiB,
    mostWhy: "it takes hours on a fast line, and one that is cut begins again",
    unit: "bytes",
  },
  files: {
    least: 1,
    leastWhy: "an action without files leaves out uploads",
    most: 1_000,
    mostWhy: "each is a file on disk; an archive has more",
    unit: "number",
  },
};

/** Only forms have fields of the framework. */
const apiBody: LimitRange = { ...ownRanges.bodyBytes, least: 1, leastWhy: "a route without a body reads none" };

/** What is wrong with a value, as the end of a sentence; `undefined` if nothing is. */
export function problemOfLimit(value: unknown, range: LimitRange): string | undefined {
  const { least, leastWhy, most, mostWhy, unit } = range;
  const ofUnit = unit === "number" ? "" : ` of ${unit}`;
  if (typeof value !== "number" || Number.isNaN(value)) return `must be a number${ofUnit}`;
  if (unit !== "seconds" && !Number.isInteger(value)) return `must be a whole number${ofUnit}`;
  if (value < least) return `must be at least ${inUnit(least, unit)}: ${leastWhy}`;
  return value > most ? `must be at most ${inUnit(most, unit)}: ${mostWhy}` : undefined;
}

function inUnit(value: number, unit: LimitRange["unit"]): string {
  if (unit === "number") return `${value}`;
  return `${value} ${value === 1 ? unit.slice(0, -1) : unit}`;
}

/** Limits of one route or action, as its file declares them. */
export type OwnLimits = Partial<Record<(typeof ownLimitNames)[number], unknown>>;

/** Everything that is wrong with the limits of a page, API route or action. */
export function problemsOfOwnLimits(limits: OwnLimits, of: "page" | "api" | "action", shared: SharedSpace): string[] {
  return ownLimitNames.flatMap((name) => {
    const value = limits[name];
    const range = rangeOf(name, of);
    const problem =
      value === undefined ? undefined : (problemOfLimit(value, range) ?? problemOfShare(name, value, shared));
    return problem === undefined ? [] : [`${name} ${problem}`];
  });
}

export const uploadLimitsWithoutUploads = "uploadBytes and files are for uploads: true";

function rangeOf(name: (typeof ownLimitNames)[number], of: "page" | "api" | "action"): LimitRange {
  if (name === "timeout") return ownRanges[of === "page" ? "load" : "work"];
  return name === "bodyBytes" && of === "api" ? apiBody : ownRanges[name];
}

type SharedSpace = Pick<ServerLimits, "postedBytes" | "uploadsOnDiskBytes">;

/** One client holds at most this part of the shared space, so that it cannot use it up. */
export const clientPart = 4;

const spaceOf: Readonly<Record<string, keyof SharedSpace>> = {
  bodyBytes: "postedBytes",
  uploadBytes: "uploadsOnDiskBytes",
};

/** Only files on the server's disk share its space: for those of an own store it has no end. */
export function withoutDisk<Space extends SharedSpace>(shared: Space): Space {
  return { ...shared, uploadsOnDiskBytes: Number.POSITIVE_INFINITY };
}

/** A client that may not use so much of the shared space would always be refused. */
export function problemOfShare(name: string, bytes: unknown, shared: SharedSpace): string | undefined {
  const space = spaceOf[name];
  if (space === undefined || Number(bytes) <= shared[space] / clientPart) return undefined;
  const most = Math.floor(shared[space] / clientPart);
  return `must be at most ${most} bytes, a quarter of limits.${space}, which one client may use; set limits.${space} to ${Number(bytes) * clientPart} for it`;
}
