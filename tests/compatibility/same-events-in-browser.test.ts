import { expect } from "vitest";
import { application, journeyThrough, type ReceivedItem, receiver, startApp } from "../kit/index.ts";
import { readStrictly } from "../kit/strict-protocol.ts";
import { compareFields } from "./field-paths.ts";

const service = await receiver();

/** A page with both reporters: ours, and the official client, whose envelopes are stored instead of sent. */
const app = application({
  "holdfast.config.ts": `export default { report: { dsn: process.env.TEST_DSN, sampleRate: 0, release: "shop@1", environment: "production" } };`,
  "src/pages/index.tsx": `
    import { captureError, captureMessage } from "holdfast/report";
    import * as official from "sentry-browser-11";
    const keep = (options) => official.createTransport(options, async ({ body }) => {
      window.theirs.push(typeof body === "string" ? body : new TextDecoder().decode(body));
      return { statusCode: 200 };
    });
    export default function Page() {
      const start = () => {
        window.theirs = [];
        official.init({ dsn: "http://${"d".repeat(32)}@127.0.0.1:9/1", release: "shop@1", environment: "production", transport: keep });
      };
      const report = () => {
        const error = new Error("cannot pay", { cause: new RangeError("no items") });
        const about = { tags: { shop: "north" }, extra: { basket: [1, { deep: true }] } };
        official.captureException(error, about);
        captureError(error, about);
      };
      const odd = () => {
        const kinds = [(mark) => mark, (mark) => ({ why: mark, code: 7 }), (mark) => [mark, 2], (mark) => new Event(mark),
          (mark) => new AggregateError([new TypeError("inner")], mark), (mark) => ({ reason: new RangeError(mark) })];
        for (const [at, make] of kinds.entries()) {
          const caught = make("odd " + at + " caught");
          official.captureException(caught);
          captureError(caught);
          Promise.reject(make("odd " + at + " rejected"));
        }
        captureMessage("odd message", "warning");
        official.captureMessage("odd message", "warning");
      };
      const fail = () => setTimeout(function thrower() { throw new TypeError("nobody caught it"); });
      return <><h1>Both</h1>
        <button type="button" onClick={start}>Start</button>
        <button type="button" onClick={report}>Report</button>
        <button type="button" onClick={odd}>Odd</button>
        <button type="button" onClick={fail}>Fail</button></>;
    }`,
});

const test = journeyThrough(async () => {
  const running = await startApp({ app, env: { TEST_DSN: service.dsn } });
  const stop = running.stop.bind(running);
  return Object.assign(running, {
    stop: async () => {
      await stop();
      await service.stop();
    },
  });
});

/** Ids, times, the sender and its instrumentation. */
const varying = [/event_id$/, /timestamp$/, /trace_id$/, /span_id$/, /^sdk\./, /mechanism\.type$/];
/** Each reports the breadcrumbs that it has recorded. */
const steps = /^breadcrumbs\[\]/;

/**
 * An error inside a thrown object: they serialise all of it, we send its name and message. Of an event we send its
 * type.
 */
const inside = /^extra\.__serialized__\.(?:reason\b|(?:currentTarget|isTrusted|target|type)$)/;
/** A value without a stack gets the stack of the reporting call, which differs between the two. */
const otherThan = (text: string): RegExp => {
  if (/odd (?:[0123] |message)/.test(text)) return /\.frames\[\]\./;
  // They mark the inner errors of an unhandled AggregateError as handled.
  return text === "odd 4 rejected" ? /mechanism\.handled$/ : /(?!)/;
};

/** Fields that only the official client sends, and why we do not. */
const onlyTheirs: Readonly<Record<string, string>> = {
  "sdk.integrations[]": "names of the client's own parts",
  "sdk.packages[].name": "names of the client's own parts",
  "sdk.packages[].version": "names of the client's own parts",
  "contexts.culture.calendar": "about the visitor, not about the error",
  "contexts.culture.locale": "about the visitor, not about the error",
  "contexts.culture.timezone": "about the visitor, not about the error",
  message: "of a text that was thrown; it is the exception's value as well",
  "sdk.settings.infer_ip": "we send no address, so there is nothing to switch off",
};

test("an event from a page has the fields of the official client for browsers, with the same values", async ({
  visit,
}) => {
  const visitor = await visit("/");
  visitor.expecting(/nobody caught it/, /^page error: .*(?:odd \d|$)/);
  await visitor.isAlive();
  for (const button of ["Start", "Report", "Odd", "Fail"]) await visitor.pressButton(button);
  const odd = [0, 1, 2, 3, 4, 5].flatMap((at) => [`odd ${at} caught`, `odd ${at} rejected`]);
  for (const text of ["cannot pay", "nobody caught it", "odd message", ...odd]) {
    const isAbout = ({ type, value }: ReceivedItem): boolean =>
      type === "event" && JSON.stringify(value).includes(text);
    const [ours] = await service.until(isAbout);
    const envelopes: string[] = await visitor.page.evaluate(() => Reflect.get(window, "theirs"));
    const theirs = envelopes.flatMap((envelope) => readStrictly(Buffer.from(envelope))).find(isAbout);
    const { missing, added, different } = compareFields(ours?.value, theirs?.value, varying);
    const about = (path: string): string => `${text}: ${path}`;
    const isOther = (path: string): boolean => steps.test(path) || inside.test(path) || otherThan(text).test(path);
    expect(missing.filter((path) => !(path in onlyTheirs) && !isOther(path)).map(about)).toEqual([]);
    // Facts that only the framework knows. The page's trace continues that of the server.
    expect(
      added
        .filter(
          (path) =>
            !/^(?:contexts\.holdfast|contexts\.session|contexts\.trace\.parent_span_id|tags|debug_meta|transaction)\b/.test(
              path,
            ) && !isOther(path),
        )
        .map(about),
    ).toEqual([]);
    expect(different.filter((path) => !isOther(path)).map(about)).toEqual([]);
  }
}, 180_000);
