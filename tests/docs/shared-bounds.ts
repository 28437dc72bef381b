import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Where a number of the code stands: its file, its name, and how the guide writes it. */
type InCode = readonly [file: string, name: string, asWritten?: (number: number) => number];

const KiB = (bytes: number): number => bytes / 1_024;
const MiB = (bytes: number): number => bytes / 1_048_576;
const GiB = (bytes: number): number => bytes / 1_073_741_824;
const seconds = (ms: number): number => ms / 1_000;
const percent = (share: number): number => share * 100;
const secondsBetween = (perSecond: number): number => 1 / perSecond;
const timesInASecond = (ms: number): number => 1_000 / ms;
const windowMiB = (bits: number): number => MiB(2 ** bits);

const sharing = "src/host/sharing/limits.ts";
const host = "src/host/limits.ts";
const pages = "src/pages/limits.ts";
const accept = "src/service/accept/limits.ts";
const reporting = "src/reporting/limits.ts";
const protocol = "src/protocol/limits.ts";
const store = "src/service/stores/limits.ts";
const ownership = "src/service/issues/ownership/ownership-rules.ts";
const accounts = "src/service/accounts/limits.ts";

/** For each row of the list in `security.md` that has numbers: where they stand in the code, in the same order. */
export const sharedBounds: Readonly<Record<string, readonly InCode[]>> = {
  "connections, also of answers that stay open (server-sent events)": [
    [host, "connections"],
    [host, "connectionsPerClient"],
  ],
  "server-sent events and sockets that are open": [
    [pages, "streamsAtOnce"],
    [pages, "streamsPerClient"],
    [pages, "messageBytes", KiB],
  ],
  "messages of a socket": [
    [pages, "socketMessagesPerSecond"],
    [pages, "socketMessagesWaiting"],
  ],
  "messages that clients of sockets do not read": [
    [pages, "socketUnsentBytes", KiB],
    [pages, "socketsUnsentBytes", MiB],
  ],
  "headers of a request": [
    [host, "headerBytes", KiB],
    [host, "headerCount"],
  ],
  "sockets of slow senders": [
    [host, "headersMs", seconds],
    [host, "requestMs", seconds],
    [host, "bodyBytesPerSecond", KiB],
  ],
  "sockets of slow readers": [[host, "stalledMs", seconds]],
  "time for a page, prefetched or not": [
    [pages, "loadMs", seconds],
    [pages, "shellMs", seconds],
    [pages, "lateMs", seconds],
  ],
  "memory of the process": [[host, "memoryShare", percent]],
  "posts and actions under way": [
    [pages, "postsAtOnce"],
    [pages, "postsPerClient"],
  ],
  "work after responses": [
    [pages, "afterAtOnce"],
    [pages, "afterMs", seconds],
  ],
  "bodies of posts in memory": [[pages, "postedBytes", MiB]],
  "files of uploads on disk": [[pages, "uploadsOnDiskBytes", GiB]],
  "fields of a form": [[pages, "formFields"]],
  "values of a search": [[pages, "searchValues"]],
  "depth and keys of JSON": [
    [pages, "jsonDepth"],
    [pages, "jsonKeys"],
  ],
  "encoders of streamed answers": [[pages, "encoders"]],
  "answers that wait for slow readers": [
    [pages, "unsentBytes", MiB],
    [pages, "unsentOnDiskBytes", GiB],
  ],
  "cached pages": [
    [pages, "cachedBytes", MiB],
    [pages, "cachedOnDiskBytes", MiB],
    [pages, "cachedPages"],
  ],
  "browser files in memory": [
    ["src/host/file-cache.ts", "keptFileBytes", MiB],
    ["src/host/file-cache.ts", "keptFileBytesEach", KiB],
  ],
  "memory of submissions": [
    ["src/host/submissions/submission-db.ts", "rows"],
    ["src/host/submissions/submission-db.ts", "bytes", MiB],
  ],
  "submissions that are kept": [
    ["src/host/kept/kept-folder.ts", "submissions"],
    ["src/host/kept/kept-folder.ts", "bytes", MiB],
  ],
  "lines of the access log": [
    ["src/host/access-log.ts", "accessLogBytesPerSecond", MiB],
    ["src/host/access-log.ts", "burstSeconds"],
    ["src/host/access-log.ts", "longestPath"],
  ],
  "files of other builds, from a PostgreSQL store": [
    [sharing, "sendingBytes", MiB],
    [sharing, "clientBytes", MiB],
    [sharing, "cacheBytes", MiB],
    [sharing, "refreshMs", timesInASecond],
  ],
  "warnings of the server": [["src/host/process/warn.ts", "charactersPerMinute", KiB]],
  "notes on the error page": [
    ["src/host/service/note-mount.ts", "notesAtOnce"],
    ["src/host/service/note-mount.ts", "notesPerSecond", secondsBetween],
  ],
  "calls of the webhook for cached pages": [
    ["src/host/cache/invalidate-mount.ts", "callsAtOnce"],
    ["src/host/cache/invalidate-mount.ts", "callsPerSecond", secondsBetween],
  ],
  "digests that visitors look up": [[host, "answersPerMinute"]],
  "feedback on other pages": [
    ["src/host/service/feedback-mount.ts", "feedbackAtOnce"],
    ["src/host/service/feedback-mount.ts", "feedbackPerSecond", secondsBetween],
    ["src/host/service/feedback-mount.ts", "feedbackBytes", KiB],
  ],
  "reports of browsers, by the tunnel": [
    [reporting, "tunnelBurst"],
    [reporting, "tunnelPerSecond"],
    [reporting, "tunnelAllBurst"],
    [reporting, "tunnelAllPerSecond"],
  ],
  "bodies of those reports": [
    [reporting, "tunnelHeldBytes", MiB],
    [reporting, "tunnelHeldPerAddress", MiB],
    [reporting, "tunnelDecodersWaiting"],
  ],
  "reports that wait on disk": [[reporting, "outboxBytes", MiB]],
  "requests and items of a project": [
    [accept, "requestsPerSecond"],
    [accept, "itemsPerSecond"],
    [accept, "requestBurst"],
    [accept, "itemBurst"],
  ],
  "files attached to events": [
    [accept, "fileBytes", MiB],
    [accept, "eventBytes", MiB],
    [accept, "dayBytes", MiB],
  ],
  "bodies of the service": [[accept, "underWayBytes", MiB]],
  "decoders of the service": [
    [accept, "decoders"],
    [accept, "decodersWaiting"],
    [accept, "windowBits", windowMiB],
    [accept, "inflatedTimes"],
  ],
  "size, depth and keys of an event": [
    [protocol, "eventBytes", MiB],
    [protocol, "jsonDepth"],
    [protocol, "jsonKeys"],
  ],
  "the journal": [
    ["src/service/journal/limits.ts", "backlogBytes", GiB],
    ["src/service/journal/limits.ts", "waitingBytes", MiB],
  ],
  "the disk": [
    ["src/service/retention/limits.ts", "keepBytes"],
    ["src/service/retention/limits.ts", "keepDays"],
  ],
  "issue numbers": [[store, "newIssuesPerHour"]],
  "names of releases, routes, tags; scheduled tasks; notes kept": [
    [store, "newNamesPerHour"],
    [store, "monitorsPerProject"],
    [store, "feedbackPerProject"],
  ],
  "source maps that are opened": [
    ["src/service/builds/maps-per-event.ts", "mapsPerEvent"],
    ["src/service/builds/symbolicate.ts", "mostMaps"],
  ],
  "records that cannot be filed": [
    ["src/service/thread/quarantine.ts", "mostFiles"],
    ["src/service/thread/quarantine.ts", "mostBytes", MiB],
  ],
  "what is remembered of clients that came too often": [["src/bounds/token-buckets.ts", "keysAtMost"]],
  "password checks": [[accounts, "checksWaiting"]],
  "tries to sign in": [
    [accounts, "triesBurst"],
    [accounts, "triesPerSecond", secondsBetween],
    ["src/service/accounts/passwords/attempts.ts", "freeFailures"],
  ],
  "sessions and known browsers": [
    ["src/service/accounts/sessions.ts", "sessionsPerAccount"],
    ["src/service/accounts/passwords/known-devices.ts", "devicesPerAccount"],
  ],
  "ownership rules": [
    [ownership, "rules"],
    [ownership, "lineLength"],
    [ownership, "textLength"],
    ["src/service/filing/owned-facts.ts", "comparedFiles"],
    ["src/service/issues/ownership/matchers.ts", "comparedPath"],
  ],
  searches: [["src/service/stores/filter-language.ts", "mostPieces"]],
};

/** The numbers of one row, as the code has them. */
export function numbersInCode(root: string, row: string): number[] {
  return (sharedBounds[row] ?? []).map(([file, name, asWritten = (number) => number]) => {
    const text = readFileSync(join(root, file), "utf8");
    const found = new RegExp(String.raw`\b${name}(?::| =) ([\d_.]+)\b`).exec(text)?.[1];
    if (found === undefined) throw new Error(`${file} has no number called ${name}.`);
    return Math.round(asWritten(Number(found.replaceAll("_", ""))));
  });
}
