import { readAbout, readAttributes, readFields, readLevel, readText, readUser } from "./read-given.ts";

/**
 * What `holdfast/report` gives to applications, on both sides alike. Whoever runs the application puts itself behind these functions;
 * until then, and in tests, they do nothing.
 */
export type Level = "fatal" | "error" | "warning" | "info" | "debug";

/** What is known about an error beside itself. */
export interface About {
  tags?: Readonly<Record<string, string>>;
  extra?: Readonly<Record<string, unknown>>;
}

export interface User {
  id?: string;
  email?: string;
  name?: string;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface BehindTheDoor {
  /** `here`: the stack of the call, for what has none of its own. */
  captureError(error: unknown, about: About, here: string | undefined): string | undefined;
  captureMessage(text: string, level: Level, about: About, here: string | undefined): string | undefined;
  span<T>(name: string, run: () => T, attributes: Attributes): T;
  setUser(user: User | undefined): void;
  addStep(text: string, data: Readonly<Record<string, unknown>>): void;
  log(level: Level, text: string, attributes: Attributes): void;
}

const nobody: BehindTheDoor = {
  captureError: () => undefined,
  captureMessage: () => undefined,
  span: (_name, run) => run(),
  setUser: () => undefined,
  addStep: () => undefined,
  log: () => undefined,
};

let behind = nobody;

/** From now on this one answers; the function returned puts the former one back. */
export function standBehindDoor(one: BehindTheDoor): () => void {
  const former = behind;
  behind = one;
  return () => {
    if (behind === one) behind = former;
  };
}

/** Reports an error that the application has handled itself. Returns the digest that leads to it. */
export function captureError(error: unknown, about: About = {}): string | undefined {
  const here = new Error().stack;
  return quietly(() => behind.captureError(error, readAbout(about), here));
}

/** Reports something that is no error but should be known. Returns the digest that leads to it. */
export function captureMessage(text: string, level: Level = "info", about: About = {}): string | undefined {
  const here = new Error().stack;
  return quietly(() => behind.captureMessage(readText(text), readLevel(level), readAbout(about), here));
}

/** Measures a piece of work as part of the trace of the request or page it belongs to, and returns what the work returns. */
export function span<T>(name: string, run: () => T, attributes: Attributes = {}): T {
  return behind.span(readText(name), run, readAttributes(attributes));
}

/** Says who the visitor is, for reports from now on: of this request on the server, of this page in the browser. */
export function setUser(user: User | undefined): void {
  quietly(() => behind.setUser(readUser(user)));
}

/** Adds a line to the steps that an error carries with it. */
export function addStep(text: string, data: Readonly<Record<string, unknown>> = {}): void {
  quietly(() => behind.addStep(readText(text), readFields(data)));
}

/** Sends a line of log, tied to the trace it belongs to. */
export function log(level: Level, text: string, attributes: Attributes = {}): void {
  quietly(() => behind.log(readLevel(level), readText(text), readAttributes(attributes)));
}

/** Whatever fails in a report must not fail in the application that made it. */
function quietly<T>(report: () => T): T | undefined {
  try {
    return report();
  } catch (failure) {
    console.warn("A report could not be made:", failure);
    return undefined;
  }
}
