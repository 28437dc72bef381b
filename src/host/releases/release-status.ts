import { hostErrors } from "../errors.ts";
import type { BuildChoice, HealingCause, HealingRecord } from "./healing-record.ts";
import { ReleaseFolder, type ReleaseNote } from "./release-folder.ts";
import type { PinnedRoute, RoutePin } from "./release-messages.ts";

/** The release that was started last in a data folder, for operators. */
export interface ReleaseStatus {
  name: string;
  /** Name of the release before, if one can answer. */
  before: string | undefined;
  /** Why no route of this release is healed, if so. */
  never: string | undefined;
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
  state: RouteState;
}

export type RouteState =
  /** The new build answers, as it should. */
  | { kind: "new" }
  /** `triedAt`: when the new build is tried again; undefined if only the next release is. */
  | { kind: "healed"; cause: HealingCause; triedAt: number | undefined }
  | { kind: "trial"; cause: HealingCause }
  /** It fails, and stays on the new build. */
  | { kind: "not-healed"; cause: HealingCause; why: string }
  | { kind: "pinned"; to: BuildChoice; since: number };

/** Undefined if no release has been counted. */
export async function readReleaseStatus(dataFolder: string): Promise<ReleaseStatus | undefined> {
  const folder = new ReleaseFolder(dataFolder);
  const notes = await folder.notes();
  const [note] = notes;
  if (!note) return undefined;
  const before = notes.find(({ key }) => key === note.before)?.name;
  const pins = await folder.pins(note.key);
  const names = [...new Set([...Object.keys(note.counts), ...Object.keys(note.routes)])].sort();
  const routes = names.map((route) => statusOf(route, note, { before, pin: pins[route] }));
  return { name: note.name, before, never: note.never, routes };
}

export interface PinOrder {
  route: string;
  /** Undefined: the server decides again. */
  to: BuildChoice | undefined;
  now: number;
}

/** Chooses the build that answers a route. The server notices it within a second. Resolves with what was written. */
export async function pinRoute(
  dataFolder: string,
  { route, to, now }: PinOrder,
): Promise<Pick<ReleaseNote, "key" | "before"> & { pinned: PinnedRoute }> {
  const folder = new ReleaseFolder(dataFolder);
  const [note] = await folder.notes();
  if (!note) throw hostErrors.noRelease(dataFolder);
  const { key, name, before, never } = note;
  const record = note.routes[route];
  if (!note.counts[route] && !record) throw hostErrors.unknownRoute(route, name);
  if (to === "before" && before === undefined) throw hostErrors.noBuildBefore(name);
  const why = never ?? (record?.at === "kept" ? record.why : undefined);
  if (to === "before" && why !== undefined) throw hostErrors.cannotHeal(route, why);
  const pinned = { route, pin: to && { to, since: now } };
  await folder.pin(key, pinned);
  return { key, before, pinned };
}

function statusOf(
  route: string,
  note: ReleaseNote,
  { before, pin }: { before: string | undefined; pin: RoutePin | undefined },
): RouteStatus {
  const { requests = 0, failures = 0 } = note.counts[route] ?? {};
  const state = stateOf(note.routes[route], pin);
  const isBefore = state.kind === "pinned" ? state.to === "before" : state.kind === "healed" || state.kind === "trial";
  const on = isBefore ? (before ?? "the build before") : note.name;
  return { route, requests: Math.round(requests), failures: Math.round(failures), on, remark: remarkOn(state), state };
}

/** What an operator has chosen counts at once, and the server acts on it within a second. */
function stateOf(record: HealingRecord | undefined, pin: RoutePin | undefined): RouteState {
  const at = record?.at ?? "new";
  if (pin && !(pin.to === "before" && at === "kept")) return { kind: "pinned", ...pin };
  if (!record || record.at === "new" || record.pin) return { kind: "new" };
  const { cause } = record;
  if (record.at === "kept") return { kind: "not-healed", cause, why: record.why };
  if (record.at === "trial") return { kind: "trial", cause };
  return { kind: "healed", cause, triedAt: record.until === Number.MAX_SAFE_INTEGER ? undefined : record.until };
}

function remarkOn(state: RouteState): string {
  if (state.kind === "new") return "";
  if (state.kind === "pinned") return "pinned";
  if (state.kind === "not-healed") return `not healed: ${state.why}`;
  if (state.kind === "trial") return "healed, and the new build is being tried";
  if (state.triedAt === undefined) return "healed until the next release: what fails cannot be tried in the background";
  return `healed, and tried again at ${new Date(state.triedAt).toISOString()}`;
}
