import { type LimitRange, ownRanges, problemOfLimit, problemOfShare, type ServerLimits, serverLimits } from "#pages";
import { accessLogBytesPerSecond } from "./access-log.ts";
import { keptFileBytes } from "./file-cache.ts";
import { type KeptLimits, keptLimits } from "./kept/kept-folder.ts";
import { type HostLimits, hostLimits } from "./limits.ts";
import { healingLimits } from "./releases/limits.ts";
import { sharingLimits } from "./sharing/limits.ts";

/** Limits that the configuration may set. Each has a range; `holdfast doctor` prints what holds. */
export interface LimitSettings {
  /** Time limit of a load or guard, in seconds; 10. A page sets its own by `timeout`. */
  loadSeconds?: number;
  /** Time limit of promises in the data of a page, in seconds; 30. */
  lateSeconds?: number;
  /** Time limit of the first part of a document, in seconds; 15. */
  shellSeconds?: number;
  /** Bytes of a form without files, of JSON and of an API route's body; 1 MiB. Actions and API routes set their own. */
  bodyBytes?: number;
  /** Bytes of all files of one upload together; 32 MiB. Actions set their own. */
  uploadBytes?: number;
  /** Files of one upload; 20. Actions set their own. */
  files?: number;
  /** Fields of one form; 1,000. */
  formFields?: number;
  /** Values of a search that the schema of a page reads; 200. */
  searchValues?: number;
  /** Levels of a JSON body; 64. */
  jsonDepth?: number;
  /** Keys of a JSON body; 10,000. */
  jsonKeys?: number;
  /** Bytes of the data of one page; 8 MiB. */
  dataBytes?: number;
  /** Concurrent posts and actions; 1,000. */
  postsAtOnce?: number;
  /** Concurrent posts and actions of one client; 100. */
  postsPerClient?: number;
  /** Bytes of all concurrent post bodies in memory; 64 MiB. One client may hold a quarter. */
  postedBytes?: number;
  /** Bytes of all concurrent uploads on disk; 1 GiB. One client may use a quarter. */
  uploadsOnDiskBytes?: number;
  /** Bytes of large responses that wait for slow clients in memory; 8 MiB. */
  unsentBytes?: number;
  /** Bytes of large responses that wait for slow clients on disk; 4 GiB. */
  unsentOnDiskBytes?: number;
  /** Bytes of cached pages in the memory of a process, with all encodings; 64 MiB. One page may have an eighth. */
  cachedBytes?: number;
  /** Bytes of cached pages on disk, for which the memory of a process has no room; 512 MiB. 0 stores none there. */
  cachedOnDiskBytes?: number;
  /** Number of cached pages, in memory and on disk; 10,000. */
  cachedPages?: number;
  /** Bytes of browser files and prerendered pages in the memory of a process, each of 256 KiB at most; 8 MiB. */
  fileBytes?: number;
  /** Bytes of V8's memory of young objects, beyond which `holdfast start` lets it not double again; 64 MiB. */
  youngBytes?: number;
  /** Age up to which the last good page is sent while new ones fail, in seconds; 86,400. */
  cachedFailingSeconds?: number;
  /** Bytes of the headers of a request; 16 KiB. */
  headerBytes?: number;
  /** Concurrent connections; 10,000. */
  connections?: number;
  /** Concurrent connections of one client that is no proxy; 1,000. */
  connectionsPerClient?: number;
  /** Time limit of `onStart` of `src/lifecycle.server.ts`, in seconds; 60. */
  startSeconds?: number;
  /** Time limit of work that `after` runs, in seconds; 60. */
  afterSeconds?: number;
  /** Work of `after` that runs at the same time; 1,000. */
  afterAtOnce?: number;
  /** Server-sent events and sockets that are open at the same time; 5,000. */
  streamsAtOnce?: number;
  /** The same for one client; 500. */
  streamsPerClient?: number;
  /** Bytes of one server-sent event or one message of a socket; 64 KiB. */
  messageBytes?: number;
  /** Messages of one socket in a second, and twice as many at once; 100. */
  socketMessagesPerSecond?: number;
  /** Bytes that the client of a socket may leave untaken before it is disconnected; 256 KiB. */
  socketUnsentBytes?: number;
  /** Bytes of access log per second, with bursts of one minute; 1 MiB. Lines over the limit are dropped and counted. */
  logBytesPerSecond?: number;
  /** Submissions of actions with `keeps` on disk: those that run, and those that wait to be run again; 1,000. */
  keptSubmissions?: number;
  /** Bytes of all of them; 256 MiB. */
  keptBytes?: number;
  /** Days after which a kept submission is removed; 30. */
  keptDays?: number;
  /** Digests that one client may look up in a minute, and at once; 60. */
  answersPerMinute?: number;
  /** Pages with a digest that a browser remembers until they are repaired; 5. 0: none. */
  brokenPages?: number;
  /** Days for which it remembers them; 7. */
  brokenPageDays?: number;
  /** Bytes of one build's browser files in a PostgreSQL store, with all encodings; 64 MiB. */
  sharedFileBytes?: number;
  /** Pages that `holdfast build` makes at the same time; 8. */
  prerenderAtOnce?: number;
  /** Open issues whose requests `holdfast gate` replays, and as many that were resolved lately; 20. */
  gateIssues?: number;
  /** Time limit of one of these requests, in seconds; 15. */
  gateRequestSeconds?: number;
  /** Time limit of all of them, in seconds; 60. Those that are left over are not replayed. */
  gateSeconds?: number;
  /** Such requests at the same time; 2. */
  gateAtOnce?: number;
  /** Time until the new build of a healed route is tried again, in seconds; 60. Each time it is doubled. */
  healedSeconds?: number;
  /** Bytes of the copy of a build, which answers healed routes of the next release; 256 MiB. */
  keptBuildBytes?: number;
}

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
