import { type Debugger, Session } from "node:inspector";
import type { StallWatcherData } from "./stall-watcher.ts";

/** Watches the main thread from this one, until another watcher registers or this thread ends. */
export function watchMainThread({
  heartbeats,
  watchers,
  stack,
  stackBytes,
  checkMs,
  silentMs,
}: StallWatcherData): void {
  const ownNumber = Atomics.add(watchers, 0, 1) + 1;
  let beat = -1;
  let silentSince = performance.now();
  let isSeen = false;
  const timer = setInterval(() => {
    if (Atomics.load(watchers, 0) !== ownNumber) return clearInterval(timer);
    const now = Atomics.load(heartbeats, 0);
    if (now !== beat) {
      beat = now;
      silentSince = performance.now();
      isSeen = false;
      return;
    }
    if (isSeen || performance.now() - silentSince < silentMs) return;
    isSeen = true;
    readMainThreadStack((seen) => {
      const { written } = new TextEncoder().encodeInto(seen, stack);
      Atomics.store(stackBytes, 0, written);
    });
  }, checkMs);
}

/** Pauses the main thread for some milliseconds and reads its stack. */
function readMainThreadStack(onStack: (stack: string) => void): void {
  const session = new Session();
  const files = new Map<string, string>();
  let isAsked = false;
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
  session.once("Debugger.paused", ({ params }) => {
    // Paused before the request: a developer debugs the thread, and it must stay at their breakpoint.
    if (isAsked) {
      session.post("Debugger.resume");
      session.post("Debugger.disable");
      onStack(params.callFrames.map((frame) => lineOf(frame, files)).join("\n"));
    }
    session.disconnect();
  });
  session.post("Debugger.enable", (left) => {
    if (left) return;
    isAsked = true;
    session.post("Debugger.pause");
  });
}

/** Formats a line like an error's stack. */
function lineOf({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const file = files.get(location.scriptId) || "<anonymous>";
  const position = `${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
  return functionName === "" ? `    at ${position}` : `    at ${functionName} (${position})`;
}

/** The name by which a thread calls its task. */
export { watchMainThread as begin };
