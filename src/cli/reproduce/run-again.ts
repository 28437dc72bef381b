import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openSources } from "#build";
import { type Failure, startDevelopment } from "#host";
import { isMasked, type PastEvent } from "../replay/past-event.ts";
import { type HandedOver, isSafe, sendPastRequest } from "../replay/send-past-request.ts";

export type Again =
  | { kind: "passes"; status: number }
  /** A response that says nothing about the error. */
  | { kind: "cannot-tell"; status: number; why: string }
  /** The same error, by name and message. */
  | { kind: "still-fails"; failure: Failure }
  | { kind: "fails-otherwise"; failure: Failure | undefined; status: number };

/** Sends the request of an event to the application's current sources, with a temporary data folder. */
export async function runAgain(root: string, event: PastEvent, handedOver: HandedOver): Promise<Again> {
  const dataFolder = await mkdtemp(path.join(tmpdir(), "holdfast-reproduce-"));
  const sources = await openSources({ root, watch: false });
  const failing: Promise<Failure>[] = [];
  const server = await startDevelopment({
    root,
    sources,
    port: 0,
    nextFreePort: false,
    host: "127.0.0.1",
    dataFolder,
    print: () => undefined,
    onFailure: (failure) => failing.push(failure),
  });
  try {
    const { status, leadsTo } = await sendPastRequest(event, { to: server.url, handedOver });
    // When the response has ended, all its failures are known, including those of deferred data.
    const failures = await Promise.all(failing);
    return judge({ event, handedOver, failures, status, leadsTo });
  } finally {
    await server.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

interface Answered {
  event: PastEvent;
  handedOver: HandedOver;
  failures: readonly Failure[];
  status: number;
  /** Target of a redirect. */
  leadsTo: string | null;
}

/** A request passes only if it got as far as the event did, with the same input. */
export function judge(answered: Answered): Again {
  const { event, failures, status } = answered;
  const same = failures.find(({ name, message }) => name === event.name && message === event.message);
  if (same) return { kind: "still-fails", failure: same };
  if (status >= 500 || failures.length > 0) return { kind: "fails-otherwise", failure: failures[0], status };
  const why = whyNothingIsKnown(answered);
  return why === undefined ? { kind: "passes", status } : { kind: "cannot-tell", status, why };
}

function whyNothingIsKnown({ event, handedOver, status, leadsTo }: Answered): string | undefined {
  const posted = handedOver.fields.length > 0 || handedOver.json !== undefined;
  const isPost = !isSafe(event.method);
  const form = event.action === undefined ? "--json or --field name=value" : "--field name=value";
  if (status === 404)
    return "nothing is found there: no route, or its data is not in the database that the sources use";
  if (status === 401 || status === 403) return 'it may not be seen; hand over the visitor\'s cookie with --cookie "…"';
  if (status >= 400 && isPost)
    return posted ? "what was sent is refused" : `an event never contains what was posted; hand it over with ${form}`;
  if (status >= 400) return "the request is refused";
  if (status >= 300 && !isPost)
    return `it leads to ${leadsTo ?? "another address"} before it comes so far; --cookie "…" hands over the visitor's cookie`;
  if (isPost && !posted)
    return `an event never contains what was posted, and without it nothing fails; hand it over with ${form}`;
  if (isMasked(event)) return "a part of its address is never kept";
  if (event.side === "browser") return "the page is answered, and what happened in the browser is not done again";
  return undefined;
}
