import { type Debugger, Session, url } from "node:inspector";
import { type MessagePort, workerData } from "node:worker_threads";

/** What the watched thread hands over. */
export interface LookoutData {
  /** One more each time the watched thread has looked up. */
  beats: Int32Array;
  /** Where stacks go. */
  port: MessagePort;
  lookMs: number;
  silentMs: number;
}

const { beats, port, lookMs, silentMs } = workerData as LookoutData;
let beat = -1;
let silentSince = performance.now();
let isSeen = false;

setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now !== beat) {
    beat = now;
    silentSince = performance.now();
    isSeen = false;
    return;
  }
  if (isSeen || performance.now() - silentSince < silentMs) return;
  isSeen = true;
  // Someone who debugs stands at a point of theirs, and would be moved on from it.
  if (url() === undefined) lookAtMainThread((stack) => port.postMessage(stack));
}, lookMs);

/** Halts the other thread for some milliseconds, wherever it is just then, and reads its calls. */
function lookAtMainThread(tell: (stack: string) => void): void {
  const session = new Session();
  const files = new Map<string, string>();
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
  session.once("Debugger.paused", ({ params }) => {
    session.post("Debugger.resume");
    session.post("Debugger.disable");
    session.disconnect();
    tell(params.callFrames.map((frame) => lineOf(frame, files)).join("\n"));
  });
  session.post("Debugger.enable");
  session.post("Debugger.pause");
}

/** As an error's stack has it. */
function lineOf({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const file = files.get(location.scriptId) || "<anonymous>";
  const place = `${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
  return functionName === "" ? `    at ${place}` : `    at ${functionName} (${place})`;
}
