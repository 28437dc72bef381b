import { short } from "../parts/charts/numbers.ts";

type Counts = Readonly<Record<string, number>>;
type Words = Readonly<Record<string, string>>;

/** How navigations ended, and which kind those that were shown were of. */
const navigations: Words = {
  committed: "shown",
  "committed push": "by link",
  "committed replace": "replaced",
  "committed traverse": "back or forward",
  "committed reload": "reloaded",
  "committed submit": "by form",
  "handed-over": "loaded in full",
  redirected: "redirected",
  superseded: "replaced by the next click",
  cancelled: "cancelled",
  held: "kept by the visitor",
  failed: "failed",
};

/** What became of prefetched pages. */
const prefetches: Words = {
  stored: "fetched",
  fresh: "used",
  stale: "used, then renewed",
  joined: "used on arrival",
  expired: "not used in time",
  evicted: "not used, no room",
  failed: "failed",
  aborted: "stopped",
  dropped: "not sent",
  "discarded-build": "of another build",
  "suppressed-rate": "left out, too many at once",
  "suppressed-data-saver": "left out to save data",
};

/** Why the browser loaded a page in full. */
const fullLoads: Words = {
  network: "no connection",
  "timeout-code": "code took too long",
  "timeout-data": "data took too long",
  "timeout-total": "took too long",
  "wrong-content-type": "answer of another server",
  "unreadable-data": "unreadable data",
  "cut-data": "data cut off",
  "build-mismatch": "new build",
  "other-policy": "other security policy",
  "missing-module": "code not found",
  "missing-style": "style not found",
  "no-content": "empty answer",
  attachment: "download",
  "unknown-route": "unknown route",
  "foreign-redirect": "redirect to another site",
  "history-unknown": "unknown history entry",
  "broken-runtime": "page stopped working",
};

/** Why a page was not stored in the server's cache. */
const bypasses: Words = {
  cookies: "reads cookies",
  headers: "reads headers",
  locals: "reads locals",
  clientAddress: "reads the visitor's address",
  nonce: "reads the nonce",
  guard: "has a guard",
  "form-result": "shows the result of a form",
  redirect: "leads elsewhere",
  failed: "failed",
  changed: "changed meanwhile",
  "too-large": "too large",
};

const wordsOf = { navigations, prefetches, fullLoads, bypasses } as const;

/** The counts of a route in words, most frequent first. A label of another client is shown as it is. */
export function countsInWords(kind: keyof typeof wordsOf, counts: Counts): string {
  return (
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      // A number stays on the line of its word.
      .map(([label, n]) => `${inWords(kind, label)}\u00a0${short(n)}`)
      .join(", ") || "–"
  );
}

/** A client that counts by itself sends outcome and reason: `handed-over timeout-data`. */
function inWords(kind: keyof typeof wordsOf, label: string): string {
  const words: Words = wordsOf[kind];
  if (Object.hasOwn(words, label)) return words[label] ?? label;
  const [first = "", ...rest] = label.split(" ");
  if (!Object.hasOwn(words, first) || rest.length === 0) return label;
  const reason = rest.join(" ");
  return `${words[first]} (${Object.hasOwn(fullLoads, reason) ? fullLoads[reason] : reason})`;
}
