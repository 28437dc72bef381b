import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { eventByIdOrDigest } from "../../src/service/index.ts";
import { application, startApp } from "../kit/index.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { readerOf } from "../kit/reader-of.ts";

const app = application({
  "holdfast.config.ts": `export default { report: { sampleRate: 1, release: "r1" } };`,
  "src/pages/index.tsx": `export default function Home() { return <h1>Home</h1>; }`,
  "src/pages/broken.tsx": `export default function Broken() { throw new TypeError("no cart"); }`,
  "src/pages/stars.tsx": `export default function Stars({ data }: { data: number }) { return <h1>{data} stars</h1>; }`,
  "src/pages/stars.server.ts": `import { load } from "holdfast/server";
export const data = load(() => countTheStars(3_000));
function countTheStars(ms: number): number {
  const until = performance.now() + ms;
  let stars = 0;
  while (performance.now() < until) stars++;
  return stars;
}
`,
});

/** A loop would run hundreds of times in the shorter one. The longer one is specified. */
const watchedSeconds = process.env.HOLDFAST_TEST_LONG === undefined ? 3 : 60;

test("without any setting an error is in the embedded service, and its report causes no other", async () => {
  const running = await startApp({ app });
  onTestFinished(() => running.stop());
  await (await fetch(running.url)).text();
  const answer = await fetch(`${running.url}/broken`);
  const digest = answer.headers.get("x-digest") ?? "";
  const reader = await readerOf(running);
  await expect
    .poll(async () => (await eventByIdOrDigest({ store: reader, now: Date.now() }, 1, digest))?.issue.title, {
      timeout: 20_000,
    })
    .toContain("no cart");
  expect((await postLikeAPage(running.url)).status).toBe(200);

  // The two errors, and the traces of the two pages. Requests that carry reports are not traced.
  const arrived = async (): Promise<string[]> =>
    (await reader.recent({ project: 1, limit: 100 })).map(({ kind }) => kind).toSorted();
  const all = ["event", "event", "segment", "segment"];
  await expect.poll(arrived, { timeout: 20_000 }).toEqual(all);
  await wait(watchedSeconds * 1_000);
  expect(await arrived()).toEqual(all);
  keepProof("no-report-about-reports", [
    `One error on the server and one from a page, everything traced, the service inside the application: within ${watchedSeconds} s the service had these two`,
    "events and the traces of the two pages that were asked for, and nothing else.",
  ]);
}, 150_000);

test("the first time that the event loop of a server is blocked is reported, with the line that blocked it", async () => {
  const running = await startApp({ app });
  onTestFinished(() => running.stop());
  await (await fetch(`${running.url}/stars`)).text();
  const reader = await readerOf(running);
  // A loaded machine blocks the event loop at other places too.
  const blockingFrame = async (): Promise<unknown> => {
    for (const record of await reader.recent({ project: 1, limit: 10 })) {
      const body = record.kind === "event" ? (await reader.event(1, record.eventId))?.body : undefined;
      const [stall] = body?.kind === "whole" ? body.event.exceptions : [];
      const frame = stall?.type === "Stall" && stall.frames.find(({ function: name }) => name === "countTheStars");
      if (frame) return frame;
    }
    return undefined;
  };
  await expect.poll(blockingFrame, { timeout: 20_000 }).toMatchObject({
    filename: expect.stringMatching(/src\/pages\/stars\.server\.ts$/),
    contextLine: "  while (performance.now() < until) stars++;",
  });
}, 60_000);

/** Posts a browser's report, in a request that asks to be traced. */
function postLikeAPage(url: string): Promise<Response> {
  const eventId = newEventId();
  const event = { event_id: eventId, exception: { values: [{ type: "Error", value: "in the page" }] } };
  return fetch(`${url}/_holdfast/post`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", "sentry-trace": `${"a".repeat(32)}-${"b".repeat(16)}-1` },
    body: Buffer.from(writeEnvelope({ eventId }, [jsonItem("event", event)])),
  });
}
