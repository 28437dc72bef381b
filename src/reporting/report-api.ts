import {
  readAbout,
  readFields,
  readGivenAttributes,
  readGivenLevel,
  readText,
  readUser,
} from "./describe/read-given.ts";
import type { About, Attributes, Level, User } from "./report-types.ts";

export type { About, Attributes, Level, User };

/**
 * The functions of `holdfast/report`, on the server and in the browser. They call the reporter that the host has set,
 * and do nothing without one, as in an application's own tests.
 */
export interface ReporterApi {
  /** `here`: the stack of the call, for errors that have none. */
  captureError(error: unknown, about: About, callStack: string | undefined): string | undefined;
  captureMessage(text: string, level: Level, about: About, callStack: string | undefined): string | undefined;
  span<T>(name: string, run: () => T, attributes: Attributes): T;
  setUser(user: User | undefined): void;
  addStep(text: string, data: Readonly<Record<string, unknown>>): void;
  log(level: Level, text: string, attributes: Attributes): void;
}

const noReporter: ReporterApi = {
  captureError: () => undefined,
  captureMessage: () => undefined,
  span: (_name, run) => run(),
  setUser: () => undefined,
  addStep: () => undefined,
  log: () => undefined,
};

let reporter = noReporter;

/** Returns a function that restores the previous reporter. */
export function setReporter(next: ReporterApi): () => void {
  const previous = reporter;
  reporter = next;
  return () => {
    if (reporter === next) reporter = previous;
  };
}

/** Reports an error that the application has handled. Returns its digest. */
export function captureError(error: unknown, about: About = {}): string | undefined {
  const callStack = new Error().stack;
  return quietly(() => reporter.captureError(error, readAbout(about), callStack));
}

/** Reports a message without an error. Returns its digest. */
export function captureMessage(text: string, level: Level = "info", about: About = {}): string | undefined {
  const callStack = new Error().stack;
  return quietly(() => reporter.captureMessage(readText(text), readGivenLevel(level), readAbout(about), callStack));
}

/** Measures `run` as a span of the current trace and returns its result. */
export function span<T>(name: string, run: () => T, attributes: Attributes = {}): T {
  return reporter.span(readText(name), run, readGivenAttributes(attributes));
}

/** Names the visitor in all later reports: of this request on the server, of this page in the browser. */
export function setUser(user: User | undefined): void {
  quietly(() => reporter.setUser(readUser(user)));
}

/** Adds a breadcrumb to the errors that follow. */
export function addStep(text: string, data: Readonly<Record<string, unknown>> = {}): void {
  quietly(() => reporter.addStep(readText(text), readFields(data)));
}

/** Sends a log line that belongs to the current trace. */
export function log(level: Level, text: string, attributes: Attributes = {}): void {
  quietly(() => reporter.log(readGivenLevel(level), readText(text), readGivenAttributes(attributes)));
}

/** A report that fails must not break the application. */
function quietly<T>(report: () => T): T | undefined {
  try {
    return report();
  } catch (failure) {
    console.warn("A report could not be made:", failure);
    return undefined;
  }
}
