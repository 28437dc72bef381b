import { hostErrors } from "../errors.ts";
import { answersOf, type BuildChoice, type HealingRecord } from "./healing-record.ts";
import { ReleaseFolder, type ReleaseNote } from "./release-folder.ts";

/** The release that was started last in a data folder, for commands beside the server. */
export interface ReleaseStatus {
  name: string;
  /** Name of the release before, if one can answer. */
  before: string | undefined;
  /** Every route that visitors have asked for. */
  routes: readonly RouteStatus[];
}

export interface RouteStatus {
  route: string;
  requests: number;
  failures: number;
  /** The release that answers, and why it is not the new one. */
  on: string;
  remark: string;
}

/** Undefined if no release has been counted. */
export async function readReleaseStatus(dataFolder: string): Promise<ReleaseStatus | undefined> {
  const notes = await new ReleaseFolder(dataFolder).notes();
  const [note] = notes;
  if (!note) return undefined;
  const before = notes.find(({ key }) => key === note.before)?.name;
  const names = [...new Set([...Object.keys(note.counts), ...Object.keys(note.routes)])].sort();
  return { name: note.name, before, routes: names.map((route) => statusOf(route, note, before)) };
}

/** Chooses the build that answers a route, or lets the server choose again. The server notices it within a second. */
export async function pinRoute(dataFolder: string, route: string, to: BuildChoice | undefined): Promise<void> {
  const folder = new ReleaseFolder(dataFolder);
  const [note] = await folder.notes();
  if (!note) throw hostErrors.noRelease(dataFolder);
  const known = note.counts[route] ?? note.routes[route];
  if (!known) throw hostErrors.unknownRoute(route, note.name);
  const record = note.routes[route];
  if (to === "before" && note.before === undefined) throw hostErrors.noBuildBefore(note.name);
  if (to === "before" && record?.at === "kept") throw hostErrors.cannotHeal(route, record.why);
  const { [route]: _replaced, ...others } = await folder.pins(note.key);
  await folder.writePins(note.key, to ? { ...others, [route]: to } : others);
}

function statusOf(route: string, note: ReleaseNote, before: string | undefined): RouteStatus {
  const { requests = 0, failures = 0 } = note.counts[route] ?? {};
  const record = note.routes[route];
  const isBefore = record !== undefined && answersOf(record) === "before";
  const on = isBefore ? (before ?? "the build before") : note.name;
  return { route, requests: Math.round(requests), failures: Math.round(failures), on, remark: remarkOn(record) };
}

function remarkOn(record: HealingRecord | undefined): string {
  if (record?.pin !== undefined) return "pinned";
  if (record?.at === "kept") return `not healed: ${record.why}`;
  if (record?.at === "trial") return "healed, and the new build is being tried";
  if (record?.at !== "before") return "";
  if (record.until === Number.MAX_SAFE_INTEGER) return "healed until the next release: its actions fail";
  return `healed, and tried again at ${new Date(record.until).toISOString()}`;
}
