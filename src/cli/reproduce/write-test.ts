import { digestOf } from "#protocol";
import type { PastEvent } from "./fetch-event.ts";

/** A test that fails for as long as the request of the event does, to be kept beside the others of the application. */
export function writeTest(event: PastEvent): string {
  const digest = digestOf(event.eventId);
  const title = `${event.method} ${event.target} answers without an error (${digest})`;
  const what = `${event.name}: ${event.message}`.replaceAll("*/", "* /").split("\n", 1)[0];
  const init = event.method === "GET" ? "" : `, ${JSON.stringify({ method: event.method })}`;
  return `import { openTestApp } from "holdfast/testing";
import { afterAll, expect, test } from "vitest";

const app = await openTestApp();
afterAll(() => app.close());

/** ${what}, on ${new Date(event.at).toISOString()}. */
test(${JSON.stringify(title)}, { timeout: 30_000 }, async () => {
  const { status, text } = await app.request(${JSON.stringify(event.target)}${init});
  expect(status).toBeLessThan(500);
  expect(text).not.toContain("server-side exception has occurred");
});
`;
}
