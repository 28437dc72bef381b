import { digestOf } from "#protocol";
import type { PastEvent } from "../replay/past-event.ts";
import type { HandedOver } from "../replay/send-past-request.ts";

/** Writes a test that fails as long as the event's request fails, to be kept with the application's other tests. */
export function writeTest(event: PastEvent, handedOver: HandedOver): string {
  const digest = digestOf(event.eventId);
  const title = `${event.method} ${event.target} answers without an error (${digest})`;
  const what = `${event.name}: ${event.message}`.replaceAll("*/", "* /").split("\n", 1)[0];
  return `import { openTestApp } from "holdfast/testing";
import { afterAll, expect, test } from "vitest";

const app = await openTestApp();
afterAll(() => app.close());

/** ${what}, on ${new Date(event.at).toISOString()}. */
test(${JSON.stringify(title)}, { timeout: 30_000 }, async () => {
${requestOf(event, handedOver)}
  expect(app.failures).toEqual([]);
  expect(status).toBeLessThan(${event.method === "GET" ? 400 : 500});
});
`;
}

function requestOf({ method, target, action }: PastEvent, { fields, json }: HandedOver): string {
  if (action !== undefined) {
    const page = target.slice(0, target.indexOf("/_action/")) || "/";
    const note = fields.length === 0 ? "  // An event never contains what was posted: write the fields here.\n" : "";
    const values = JSON.stringify(Object.fromEntries(fields));
    return `${note}  const { status } = await app.submit(${JSON.stringify(page)}, ${JSON.stringify(action)}, ${values});`;
  }
  if (method === "GET") return `  const { status } = await app.request(${JSON.stringify(target)});`;
  const note = json === undefined ? "  // An event never contains what was posted: write the body here.\n" : "";
  const headers = json === undefined ? "" : ', headers: { "content-type": "application/json" }';
  const body = json === undefined ? "" : `, body: ${JSON.stringify(json)}`;
  return `${note}  const { status } = await app.request(${JSON.stringify(target)}, { method: ${JSON.stringify(method)}${headers}${body} });`;
}
