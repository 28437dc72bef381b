/** Everything a journey test uses. Start with `journey.ts`. */
export { application, writeFiles } from "./application.ts";
export { openBrowser } from "./browser.ts";
export { type FaultProxy, faultProxy, type RecordedRequest } from "./fault-proxy.ts";
export type { Fault, FaultRule, Pattern } from "./fault-rules.ts";
export { journey, journeyThrough, type Visited } from "./journey.ts";
export { keepProof } from "./keep-proof.ts";
export { keptDigests } from "./kept-events.ts";
export { inLongRuns, isLong } from "./long-runs.ts";
export { mebibytesOf } from "./memory-of.ts";
export { type ReceivedItem, type Receiver, receiver } from "./receiver.ts";
export { type AppOptions, buildApp, RunningApp, runHoldfast, startApp, startBuiltApp } from "./running-app.ts";
export { inKolkata, inNewYork, inTheDark, onAPhone, Visitor, withoutJavaScript } from "./visitor.ts";
