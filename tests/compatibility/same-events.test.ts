import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as official from "sentry-node-11";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createStallWatcher,
  openServerReporting,
  reportingLimits,
  type ServerReporting,
} from "../../src/reporting/index.ts";
import { captureError, captureMessage } from "../../src/reporting/report-api.ts";
import { type ReceivedItem, type Receiver, receiver } from "../kit/index.ts";
import { compareFields } from "./field-paths.ts";

/** Ids, times and the sender. */
const varying = [/event_id$/, /timestamp$/, /trace_id$/, /span_id$/, /^sdk\./, /mechanism\.type$/, /app_start_time$/];

/** Fields that only the official client sends, and why we do not. */
const onlyTheirs: Readonly<Record<string, string>> = {
  "sdk.integrations[]": "names of the client's own parts",
  "sdk.packages[].name": "names of the client's own parts",
  "sdk.packages[].version": "names of the client's own parts",
  "sdk.settings.infer_ip": "we send no address, so there is nothing to switch off",
  "contexts.trace.trace_id": "outside of a request there is no trace to belong to",
  "contexts.trace.span_id": "outside of a request there is no trace to belong to",
  "exception.values[].stacktrace.frames[].module": "made of the file's name, which is there",
  "contexts.app.app_memory": "of the machine, not of the error",
  "contexts.app.free_memory": "of the machine, not of the error",
};
/** Each reports the breadcrumbs that it has recorded, and the official client also records our deliveries. */
const steps = /^breadcrumbs\[\]/;
/** An error inside a thrown object: they serialise all of it, we send its name and message. */
const inside = /^extra\.__serialized__\.reason\b/;
const ofFrames = /\.frames\[\]\./;
const ofTheMachine = /^(?:contexts\.(?:os|device|culture|cloud_resource)\.|modules\.)/;
/** The service shows source lines from the source map. The official client reads the files, if they exist. */
const linesAround = /\.(?:pre_context\[\]|context_line|post_context\[\])$/;

/** Facts that only we know. */
const onlyOurs: Readonly<Record<string, string>> = { "contexts.app.build": "the build that runs" };

let theirs: Receiver;
let ours: Receiver;
let reporting: ServerReporting;
const folder = mkdtempSync(join(tmpdir(), "holdfast-fields-"));

beforeAll(async () => {
  [theirs, ours] = await Promise.all([receiver(), receiver()]);
  const common = { release: "shop@1", environment: "production" };
  official.init({ dsn: theirs.dsn, ...common, serverName: (await import("node:os")).hostname() });
  reporting = openServerReporting({
    stallWatcher: createStallWatcher(reportingLimits),
    settings: { dsn: ours.dsn, ...common },
    folder,
    root: folder,
    build: "b1",
    deliver: undefined,
    limits: reportingLimits,
    now: Date.now,
    warn: (text) => {
      throw new Error(text);
    },
  });
});

afterAll(async () => {
  await reporting.close();
  await official.close();
  await Promise.all([theirs.stop(), ours.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

describe("an event on the wire has the fields of the official client for Node, with the same values:", () => {
  /** Returns the fields with different values. Fields of only one side need a reason. */
  function differentFields(our: unknown, their: unknown): readonly string[] {
    const { missing, added, different } = compareFields(our, their, varying);
    expect(
      missing.filter(
        (path) =>
          !(path in onlyTheirs) &&
          !ofTheMachine.test(path) &&
          !linesAround.test(path) &&
          !steps.test(path) &&
          !inside.test(path),
      ),
    ).toEqual([]);
    expect(added.filter((path) => !(path in onlyOurs) && !inside.test(path))).toEqual([]);
    return different;
  }

  test("an error with its causes", async () => {
    const error = failure();
    official.captureException(error);
    captureError(error);
    const [their, our] = await Promise.all([eventOf(theirs, "cannot pay"), eventOf(ours, "cannot pay")]);
    const different = differentFields(our.value, their.value);
    expect(different).toEqual([]);
  });

  class Basket {
    readonly mark: string;
    constructor(mark: string) {
      this.mark = mark;
    }
  }

  test.each<[kind: string, make: (mark: string) => unknown]>([
    ["a text", (mark) => mark],
    ["an object", (mark) => ({ why: mark, code: 7 })],
    ["an object of a class", (mark) => new Basket(mark)],
    ["an object that says what it is", (mark) => ({ name: "HttpError", message: mark })],
    ["an object with a message", (mark) => ({ message: mark, code: 7 })],
    ["an object that carries an error", (mark) => ({ code: 7, reason: new RangeError(mark) })],
    ["a list", (mark) => [mark, 2]],
    ["an error of the browser's kind", (mark) => new DOMException(mark, "DataCloneError")],
    ["several errors", (mark) => new AggregateError([new Error(mark), new TypeError("other")], "both")],
    ["a frozen error", (mark) => Object.freeze(new Error(mark))],
    ["a cause that is no error", (mark) => new Error(mark, { cause: { code: 7 } })],
  ])("%s", async (kind, make) => {
    const mark = `mark of ${kind}`;
    const thrown = make(mark);
    official.captureException(thrown);
    captureError(thrown);
    const [their, our] = await Promise.all([eventOf(theirs, mark), eventOf(ours, mark)]);
    const different = differentFields(our.value, their.value);
    const [their0, our0] = [their, our].map(({ value }) => value.exception.values.at(-1));
    // A value without a stack gets the stack of the reporting call, which differs between the two.
    expect(different.filter((path) => !our0.mechanism.synthetic || !ofFrames.test(path))).toEqual([]);
    expect(our0.stacktrace.frames.at(-1).filename).toBe(their0.stacktrace.frames.at(-1).filename);
  });

  test("additions by the application: tags, further values, the visitor", async () => {
    const about = { tags: { shop: "north" }, extra: { basket: [1, 2, { deep: true }] } };
    const error = new TypeError("with more");
    official.withScope((scope) => {
      scope.setTags(about.tags).setExtras(about.extra);
      official.captureException(error);
    });
    captureError(error, about);
    const [their, our] = await Promise.all([eventOf(theirs, "with more"), eventOf(ours, "with more")]);
    expect(our.value.tags).toEqual(their.value.tags);
    expect(our.value.extra).toEqual(their.value.extra);
    expect(our.value.exception.values[0].stacktrace.frames.length).toBe(
      their.value.exception.values[0].stacktrace.frames.length,
    );
  });

  test("a message", async () => {
    official.captureMessage("stock is low", "warning");
    captureMessage("stock is low", "warning");
    const [their, our] = await Promise.all([eventOf(theirs, "stock is low"), eventOf(ours, "stock is low")]);
    const { different } = compareFields(our.value, their.value, varying);
    expect(different.filter((path) => !ofFrames.test(path))).toEqual([]);
    expect(our.value.exception.values[0].stacktrace.frames.at(-1).filename).toMatch(/same-events\.test\.ts$/);
  });

  test("the envelope around it", async () => {
    const [their, our] = await Promise.all([eventOf(theirs, "cannot pay"), eventOf(ours, "cannot pay")]);
    for (const { header, value } of [their, our]) {
      expect(header.event_id).toBe(value.event_id);
      expect(Math.abs(Date.parse(String(header.sent_at)) / 1_000 - value.timestamp)).toBeLessThan(60);
      expect(header.sdk).toMatchObject({ name: expect.any(String), version: expect.any(String) });
    }
  });
});

function failure(): Error {
  return new Error("cannot pay", { cause: new RangeError("no items", { cause: new TypeError("no list") }) });
}

async function eventOf(service: Receiver, text: string): Promise<ReceivedItem> {
  const [event] = await service.until(({ type, value }) => type === "event" && JSON.stringify(value).includes(text));
  if (!event) throw new Error(`No event says "${text}".`);
  return event;
}
