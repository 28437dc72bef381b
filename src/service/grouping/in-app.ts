import type { Frame, ReportedEvent } from "#protocol";

/**
 * Code of the engine itself: `map@[native code]` in Safari, `self-hosted` in Firefox. Chromium names it `<anonymous>`.
 */
const engineCode = /^(?:\[native code\]|self-hosted(?::|$))/;

// Code that is not the application's. Clients mark frames of bundled libraries as the application's, because before
// symbolication everything is in the application's chunks.
const foreignPaths = anyOf([
  /(?:^|\/)node_modules\//,
  /^node:/,
  /^(?:internal|timers|native|<anonymous>)(?:\/|$|:)/,
  engineCode,
  /^(?:chrome|moz|safari|safari-web)-extension:/,
  /^webpack\/(?:runtime|bootstrap)/,
  /(?:^|\/)@sentry(?:-internal)?\//,
  /(?:^|\/)holdfast\/(?:src|dist)\//,
]);

// Library folders of other languages, for clients that leave the decision to the service.
const libraryPlaces =
  /(?:^|\/)(?:site-packages|dist-packages|gems|vendor|\.cargo\/registry|rustc|pkg\/mod|usr\/lib|System\/Library)\//;
const libraryModules =
  /^(?:javax?|jdk|sun|com\.sun|kotlinx?|scala|groovy|clojure|androidx?|com\.android|dalvik|org\.(?:springframework|apache|hibernate|eclipse|junit)|io\.(?:netty|undertow)|reactor|System|Microsoft)\./;

/** Whether a frame is the engine's own. Each engine reports different ones, so they are useless for grouping. */
export function isEngineFrame({ filename, absPath }: Frame): boolean {
  const path = filename ?? absPath;
  return path !== undefined && (path === "<anonymous>" || path === "native" || engineCode.test(path));
}

/** Marks every frame as the application's or not, by the path of its mapped source. */
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
  const inApp = (frame.inApp ?? !isLibrary(frame)) && !isForeign(frame);
  return frame.inApp === inApp ? frame : { ...frame, inApp };
}

function isLibrary({ module, filename, absPath }: Frame): boolean {
  return libraryPlaces.test(absPath ?? filename ?? "") || libraryModules.test(module ?? "");
}

function isForeign(frame: Frame): boolean {
  const path = frame.filename ?? frame.absPath ?? frame.module;
  // Python's client marks the standard library as the application's.
  if (frame.absPath?.includes("/lib/python")) return true;
  return path !== undefined && foreignPaths.test(path);
}

/** One combined pattern is faster than many, and every frame of every event is checked. */
function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"));
}
