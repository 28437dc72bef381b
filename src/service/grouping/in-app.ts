import type { Frame, ReportedEvent } from "#protocol";

// Code that the application's author did not write. Clients mark frames of bundled libraries as the application's own,
// because before symbolication everything lies in the application's chunks.
const foreignPaths: readonly RegExp[] = [
  /(?:^|\/)node_modules\//,
  /^node:/,
  /^(?:internal|timers|native|<anonymous>)(?:\/|$|:)/,
  /^(?:chrome|moz|safari|safari-web)-extension:/,
  /^webpack\/(?:runtime|bootstrap)/,
  /(?:^|\/)@?sentry[-/]/,
  /(?:^|\/)holdfast\/(?:src|dist)\//,
];

/** Says for every frame whether it is the application's, from where the (mapped) source lies. */
export function markInApp(event: ReportedEvent): ReportedEvent {
  return {
    ...event,
    exceptions: event.exceptions.map((exception) => ({ ...exception, frames: exception.frames.map(withInApp) })),
    ...(event.frames ? { frames: event.frames.map(withInApp) } : {}),
  };
}

function withInApp(frame: Frame): Frame {
  const inApp = frame.inApp !== false && !isForeign(frame);
  return frame.inApp === inApp ? frame : { ...frame, inApp };
}

function isForeign(frame: Frame): boolean {
  const path = frame.filename ?? frame.absPath ?? frame.module;
  return path !== undefined && foreignPaths.some((pattern) => pattern.test(path));
}
