import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openSources } from "#build";
import { type Failure, startDevelopment } from "#host";
import type { PastEvent } from "./fetch-event.ts";

export type Again =
  | { kind: "passes"; status: number }
  /** The same error, by its name and message. */
  | { kind: "still-fails"; failure: Failure }
  | { kind: "fails-otherwise"; failure: Failure | undefined; status: number };

/** Late parts of a page fail after its head was sent. */
const settleMs = 50;

/** Sends the request of an event to the application as its sources are now, with a temporary data folder. */
export async function runAgain(root: string, event: PastEvent): Promise<Again> {
  const dataFolder = await mkdtemp(path.join(tmpdir(), "holdfast-reproduce-"));
  const sources = await openSources({ root, watch: false });
  const failures: Failure[] = [];
  const server = await startDevelopment({
    root,
    sources,
    port: 0,
    nextFreePort: false,
    host: "127.0.0.1",
    dataFolder,
    say: () => undefined,
    failed: (failure) => failures.push(failure),
  });
  try {
    const answer = await fetch(new URL(event.target, server.url), {
      method: event.method,
      redirect: "manual",
      headers: { accept: "text/html", origin: server.url },
    });
    await answer.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    return judge(event, answer.status, failures);
  } finally {
    await server.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

function judge(event: PastEvent, status: number, failures: readonly Failure[]): Again {
  const same = failures.find(({ name, message }) => name === event.name && message === event.message);
  if (same) return { kind: "still-fails", failure: same };
  if (status >= 500 || failures.length > 0) return { kind: "fails-otherwise", failure: failures[0], status };
  return { kind: "passes", status };
}
