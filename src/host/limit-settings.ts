import { type LimitRange, ownRanges, problemOfLimit, problemOfShare, type ServerLimits, serverLimits } from "#pages";
import { accessLogBytesPerSecond } from "./access-log.ts";
import { keptFileBytes } from "./file-cache.ts";
import { type KeptLimits, keptLimits } from "./kept/kept-folder.ts";
import { type HostLimits, hostLimits } from "./limits.ts";
import { healingLimits } from "./releases/limits.ts";
import type { LimitSettings } from "./settings.ts";
import { sharingLimits } from "./sharing/limits.ts";

/** A limit that can be set: its default and its range. */
export interface SettableLimit extends LimitRange {
  usual: number;
}

const KiB = 1_024;
const MiB = 1_048_576;
const GiB = 1_073_741_824;

type Bound = readonly [value: number, why: string];

function ranged(
  unit: LimitRange["unit"],
  usual: number,
  [least, leastWhy]: Bound,
  [most, mostWhy]: Bound,
): SettableLimit {
  return { unit, usual, least, leastWhy, most, mostWhy };
}

const seconds = (usualMs: number, least: Bound, most: Bound): SettableLimit =>
  ranged("seconds", usualMs / 1_000, least, most);
const bytes = (usual: number, least: Bound, most: Bound): SettableLimit => ranged("bytes", usual, least, most);
const count = (usual: number, least: Bound, most: Bound): SettableLimit => ranged("number", usual, least, most);

const beforeIdle: Bound = [55, "a connection on which nothing is sent for 60 seconds is closed"];
const manyAtOnce: Bound = [100_000, "the memory of a process has no room for more"];
const inMemory: Bound = [64 * GiB, "it is memory of one process"];
const onDisk: Bound = [4_096 * GiB, "it is one disk"];
const aQuarter: Bound = [64 * KiB, "a quarter of it is for one client"];
const ofBrowser = "one browser opens six";
const descriptors: Bound = [1_000_000, "a process has no more file descriptors"];
const blocking = "reading more of them keeps other visitors waiting";

const { loadMs, lateMs, shellMs, afterMs } = serverLimits;

export const settableLimits: Readonly<Record<keyof LimitSettings, SettableLimit>> = {
  loadSeconds: { usual: loadMs / 1_000, ...ownRanges.load },
  lateSeconds: seconds(lateMs, [1, "what is quicker need not be late"], beforeIdle),
  shellSeconds: seconds(shellMs, [1, ownRanges.load.leastWhy], beforeIdle),
  bodyBytes: { usual: serverLimits.bodyBytes, ...ownRanges.bodyBytes },
  uploadBytes: { usual: serverLimits.uploadBytes, ...ownRanges.uploadBytes },
  files: { usual: serverLimits.uploadFiles, ...ownRanges.files },
  searchValues: count(serverLimits.searchValues, [10, "a filter has as many"], [5_000, blocking]),
  formFields: count(serverLimits.formFields, [10, "fields of the framework count too"], [100_000, blocking]),
  jsonDepth: count(
    serverLimits.jsonDepth,
    [4, "a list of objects has three levels"],
    [1_000, "code that walks through it would use up its stack"],
  ),
  jsonKeys: count(serverLimits.jsonKeys, [10, "a small object has as many"], [1_000_000, blocking]),
  dataBytes: bytes(
    serverLimits.dataBytes,
    [64 * KiB, "a page with a table has as much"],
    [64 * MiB, "a phone needs seconds to read it"],
  ),
  postsAtOnce: count(serverLimits.postsAtOnce, [1, "no form would be taken"], manyAtOnce),
  postsPerClient: count(serverLimits.postsPerClient, [4, "one tab sends four forms at once"], manyAtOnce),
  postedBytes: bytes(serverLimits.postedBytes, aQuarter, inMemory),
  uploadsOnDiskBytes: bytes(serverLimits.uploadsOnDiskBytes, aQuarter, onDisk),
  unsentBytes: bytes(serverLimits.unsentBytes, [MiB, "large pages would wait on disk at once"], inMemory),
  unsentOnDiskBytes: bytes(serverLimits.unsentOnDiskBytes, [MiB, "large pages would find no room"], onDisk),
  cachedBytes: bytes(serverLimits.cachedBytes, [MiB, "an eighth of it is for one page"], inMemory),
  cachedOnDiskBytes: bytes(serverLimits.cachedOnDiskBytes, [0, "0 stores none on disk"], onDisk),
  cachedPages: count(serverLimits.cachedPages, [1, "no page would be cached"], [1_000_000, blocking]),
  fileBytes: bytes(keptFileBytes, [MiB, "the files of a few pages have as much"], inMemory),
  youngBytes: bytes(hostLimits.youngBytes, [MiB, "V8 begins with as much"], inMemory),
  cachedFailingSeconds: seconds(
    serverLimits.cachedFailingMs,
    [0, "0 shows the failure as soon as a page is too old"],
    [2_592_000, "what is a month old misleads"],
  ),
  headerBytes: bytes(
    hostLimits.headerBytes,
    [4 * KiB, "one cookie may have as much"],
    [64 * KiB, "proxies refuse more"],
  ),
  connections: count(hostLimits.connections, [10, ofBrowser], descriptors),
  connectionsPerClient: count(hostLimits.connectionsPerClient, [6, ofBrowser], descriptors),
  startSeconds: { usual: hostLimits.startMs / 1_000, ...ownRanges.work, mostWhy: "a supervisor ends such a start" },
  afterSeconds: { usual: afterMs / 1_000, ...ownRanges.work },
  afterAtOnce: count(serverLimits.afterAtOnce, [1, "all work would be left out"], manyAtOnce),
  streamsAtOnce: count(serverLimits.streamsAtOnce, [1, "no stream would open"], descriptors),
  streamsPerClient: count(serverLimits.streamsPerClient, [1, "no stream would open"], descriptors),
  messageBytes: bytes(
    serverLimits.messageBytes,
    [KiB, "most messages have as much"],
    [16 * MiB, "each client that does not read holds one in memory"],
  ),
  socketMessagesPerSecond: count(
    serverLimits.socketMessagesPerSecond,
    [1, "no message would be heard"],
    [10_000, blocking],
  ),
  socketUnsentBytes: bytes(
    serverLimits.socketUnsentBytes,
    [16 * KiB, "a client on a slow line has as much on its way"],
    [64 * MiB, "each client that does not read holds it in memory"],
  ),
  logBytesPerSecond: bytes(accessLogBytesPerSecond, [KiB, "a few lines have as much"], [GiB, "no disk writes more"]),
  keptSubmissions: count(
    keptLimits.submissions,
    [1, "nothing would be taken"],
    [100_000, "they are counted for each submission"],
  ),
  keptBytes: bytes(keptLimits.bytes, [MiB, "one form has as much"], onDisk),
  keptDays: count(
    keptLimits.ms / 86_400_000,
    [1, "no operator could look at them in time"],
    [3_650, "what is older is no longer wanted"],
  ),
  answersPerMinute: count(
    hostLimits.answersPerMinute,
    [3, "a browser that remembers three digests asks for all of them"],
    [100_000, "each is a search in the store"],
  ),
  brokenPages: count(
    serverLimits.brokenPages,
    [0, "0 turns it off"],
    [50, "a browser asks the server about each of them"],
  ),
  brokenPageDays: count(
    serverLimits.brokenPageDays,
    [1, "a repair takes hours"],
    [365, "visitors do not remember what is older"],
  ),
  sharedFileBytes: bytes(
    sharingLimits.buildBytes,
    [KiB, "no file would be shared"],
    [16 * GiB, "the database has other rows too"],
  ),
  prerenderAtOnce: count(
    hostLimits.prerenderAtOnce,
    [1, "no page would be made"],
    [1_000, "each holds a document in memory"],
  ),
  // The most frequent issues cause most of the errors that visitors meet.
  gateIssues: count(20, [1, "nothing would be replayed"], [200, "a deployment would wait for minutes"]),
  // A load may take 10 s by default, and then its page still has to be rendered.
  gateRequestSeconds: seconds(15_000, [1, "a slow machine needs as much"], beforeIdle),
  // systemd ends a start after 90 s.
  gateSeconds: seconds(60_000, [1, "nothing would be replayed"], [3_600, "a supervisor ends such a start"]),
  // The server in service may share the machine and its database.
  gateAtOnce: count(2, [1, "nothing would be replayed"], [50, "it would be a load test"]),
  healedSeconds: seconds(
    healingLimits.firstWaitMs,
    [1, "a route would change too often"],
    [healingLimits.longestWaitMs / 1_000, "a route would not come back"],
  ),
  keptBuildBytes: bytes(healingLimits.buildBytes, [MiB, "no build would be kept"], onDisk),
};

/** What holds: what is set, else the default. */
export function limitsThatHold(set: LimitSettings = {}): Record<keyof LimitSettings, number> {
  const names = Object.keys(settableLimits) as (keyof LimitSettings)[];
  const entries = names.map((name) => [name, set[name] ?? settableLimits[name].usual] as const);
  return Object.fromEntries(entries) as Record<keyof LimitSettings, number>;
}

/** Every wrong limit, with the reason. */
export function problemsOfLimits(set: Readonly<Record<string, unknown>>): string[] {
  const wrong = Object.entries(set).flatMap(([name, value]) => {
    if (!isSettable(name)) return [`limits.${name} is not known (known: ${Object.keys(settableLimits).join(", ")})`];
    const problem = value === undefined ? undefined : problemOfLimit(value, settableLimits[name]);
    return problem === undefined ? [] : [`limits.${name} ${problem}`];
  });
  if (wrong.length > 0) return wrong;
  const held = limitsThatHold(set as LimitSettings);
  return [...problemsOfShares(held), ...problemsOfQuestions(held)];
}

function isSettable(name: string): name is keyof LimitSettings {
  return Object.hasOwn(settableLimits, name);
}

function problemsOfShares(limits: Record<keyof LimitSettings, number>): string[] {
  return (["bodyBytes", "uploadBytes"] as const).flatMap((name) => {
    const problem = problemOfShare(name, limits[name], limits);
    return problem === undefined ? [] : [`limits.${name} ${problem}`];
  });
}

function problemsOfQuestions({ brokenPages, answersPerMinute }: Record<keyof LimitSettings, number>): string[] {
  if (brokenPages <= answersPerMinute) return [];
  const why = "a browser asks about all of its pages at once";
  return [`limits.brokenPages (${brokenPages}) must not exceed limits.answersPerMinute (${answersPerMinute}): ${why}`];
}

/** The limits of pages, with what the configuration sets. */
export function serverLimitsOf(
  set: LimitSettings | undefined,
  { actionSeconds, resendHours }: { actionSeconds?: number; resendHours?: number } = {},
): ServerLimits {
  const { loadSeconds, lateSeconds, shellSeconds, afterSeconds, files, ...same } = limitsThatHold(set);
  return {
    ...serverLimits,
    ...(actionSeconds !== undefined && { actionMs: actionSeconds * 1_000 }),
    ...(resendHours !== undefined && { resendHours }),
    loadMs: loadSeconds * 1_000,
    lateMs: lateSeconds * 1_000,
    shellMs: shellSeconds * 1_000,
    afterMs: afterSeconds * 1_000,
    uploadFiles: files,
    bodyBytes: same.bodyBytes,
    uploadBytes: same.uploadBytes,
    formFields: same.formFields,
    searchValues: same.searchValues,
    jsonDepth: same.jsonDepth,
    jsonKeys: same.jsonKeys,
    dataBytes: same.dataBytes,
    postsAtOnce: same.postsAtOnce,
    postsPerClient: same.postsPerClient,
    postedBytes: same.postedBytes,
    uploadsOnDiskBytes: same.uploadsOnDiskBytes,
    unsentBytes: same.unsentBytes,
    unsentOnDiskBytes: same.unsentOnDiskBytes,
    cachedBytes: same.cachedBytes,
    cachedOnDiskBytes: same.cachedOnDiskBytes,
    cachedPages: same.cachedPages,
    cachedFailingMs: same.cachedFailingSeconds * 1_000,
    afterAtOnce: same.afterAtOnce,
    streamsAtOnce: same.streamsAtOnce,
    streamsPerClient: same.streamsPerClient,
    messageBytes: same.messageBytes,
    socketMessagesPerSecond: same.socketMessagesPerSecond,
    socketUnsentBytes: same.socketUnsentBytes,
    brokenPages: same.brokenPages,
    brokenPageDays: same.brokenPageDays,
  };
}

/** The limits of the HTTP server, with what the configuration sets. */
export function hostLimitsOf(set: LimitSettings | undefined): HostLimits {
  const { startSeconds, ...held } = limitsThatHold(set);
  const { headerBytes, connections, connectionsPerClient, answersPerMinute, prerenderAtOnce, youngBytes } = held;
  const same = { headerBytes, connections, connectionsPerClient, answersPerMinute, prerenderAtOnce, youngBytes };
  return { ...hostLimits, ...same, startMs: startSeconds * 1_000 };
}

/** The limits of kept submissions, with what the configuration sets. */
export function keptLimitsOf(set: LimitSettings | undefined): KeptLimits {
  const { keptSubmissions, keptBytes, keptDays } = limitsThatHold(set);
  return { ...keptLimits, submissions: keptSubmissions, bytes: keptBytes, ms: keptDays * 86_400_000 };
}

/** As people read it: `10 s`, `32 MiB`, `1,000`. */
export function writeLimit(name: keyof LimitSettings, value: number): string {
  const { unit } = settableLimits[name];
  if (unit === "seconds") return `${value.toLocaleString("en")} s`;
  if (unit === "number") return value.toLocaleString("en");
  const [size, inUnit] = units.find(([one]) => value % one === 0) ?? [1, "bytes"];
  return `${(value / size).toLocaleString("en")} ${inUnit}`;
}

const units = [
  [GiB, "GiB"],
  [MiB, "MiB"],
  [KiB, "KiB"],
] as const;
