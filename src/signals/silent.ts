import type {
  BrowserSignals,
  FirstSignals,
  NavigationSignals,
  RequestSignals,
  ServerSignals,
  SubmissionSignals,
} from "./signals.ts";

/** For work that belongs to no request. */
export const silentRequestSignals: RequestSignals = {
  handOver: "",
  matched: () => undefined,
  step: (_kind, _name, run) => run(),
  cached: () => undefined,
  ended: () => undefined,
  after: (run) => run(),
};

const silentSubmission: SubmissionSignals = { kept: () => undefined, ended: () => undefined };

/** Reporting is off: nothing is recorded, so no digest is shown. */
export const silentServerSignals: ServerSignals = {
  routesKnown: () => undefined,
  request: (_facts, run) => run(silentRequestSignals),
  errorCaught: () => ({ kind: "unrecorded" }),
  submissionTaken: () => silentSubmission,
};

const silentNavigation: NavigationSignals = {
  headers: () => ({}),
  dataRequested: () => undefined,
  ended: () => undefined,
};

export const silentBrowserSignals: BrowserSignals = {
  pageShown: () => undefined,
  navigationStarted: () => silentNavigation,
  prefetchStarted: () => ({ headers: () => ({}) }),
  prefetchEnded: () => undefined,
  prefetchUsed: () => undefined,
  fullLoadChosen: () => undefined,
  connection: () => undefined,
  errorCaught: () => undefined,
};

/** For an application whose browsers report nothing: neither the reporter nor its loader is fetched. */
export const silentFirstSignals: FirstSignals = {
  pageShown: () => undefined,
  errorCaught: () => undefined,
  all: async () => silentBrowserSignals,
};
