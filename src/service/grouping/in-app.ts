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
    exceptions: event.exceptions.map((exception) => {
      const frames = markedFrames(exception.frames);
      return frames === exception.frames ? exception : { ...exception, frames };
    }),
    ...(event.frames ? { frames: markedFrames(event.frames) } : {}),
  };
}

function markedFrames(frames: readonly Frame[]): readonly Frame[] {
  const marked = frames.map(withInApp);
  return marked.every((frame, index) => frame === frames[index]) ? frames : marked;
}

function withInApp(frame: Frame): Frame {
  const inApp = frame.inApp !== false && !isForeign(frame);
  return frame.inApp === inApp ? frame : { ...frame, inApp };
}

function isForeign(frame: Frame): boolean {
  const path = frame.filename ?? frame.absPath ?? frame.module;
  return path !== undefined && foreignPaths.some((pattern) => pattern.test(path));
}
