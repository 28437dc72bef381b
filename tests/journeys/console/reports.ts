import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type EnvelopeItem, jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { RunningApp } from "../../kit/index.ts";

/** An event as a client sends it. A test sets only the fields it is about. */
export function anError(
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> & { event_id: string } {
  const { type = "TypeError", value = "cart is undefined", function: name = "totalOf", ...given } = fields;
  return {
    event_id: newEventId(),
    timestamp: Date.now() / 1_000,
    platform: "node",
    level: "error",
    release: "1.0.0",
    environment: "production",
    transaction: "/cart",
    user: { id: "7", email: "jo@shop.test" },
    request: { method: "GET", url: "https://shop.test/cart?coupon=1", headers: { "User-Agent": "Firefox" } },
    tags: { browser: "Firefox 140", route: "/cart" },
    breadcrumbs: [{ timestamp: Date.now() / 1_000 - 3, category: "navigation", data: { from: "/", to: "/cart" } }],
    exception: {
      values: [
        {
          type,
          value,
          mechanism: { type: "generic", handled: false },
          stacktrace: {
            frames: [
              { filename: "node_modules/react/render.js", function: "render", lineno: 10, colno: 2, in_app: false },
              { filename: "node_modules/react/render.js", function: "renderPage", lineno: 44, colno: 2, in_app: false },
              {
                filename: `src/server/${String(name)}.ts`,
                function: name,
                lineno: 12,
                colno: 15,
                in_app: true,
                pre_context: ["/** What the visitor pays. */", `export function ${String(name)}(cart: Cart): number {`],
                context_line: "  return cart.items.reduce((sum, item) => sum + item.price, 0);",
                post_context: ["}", ""],
              },
            ],
          },
        },
      ],
    },
    ...given,
  };
}

/** Sends items as every client does: by HTTP, to the address in the DSN. */
export async function report(app: RunningApp, items: readonly EnvelopeItem[], project = 1): Promise<void> {
  const answer = await fetch(`${app.url}/_holdfast/api/${project}/envelope/?sentry_key=${keyOf(app, project)}`, {
    method: "POST",
    body: new Uint8Array(writeEnvelope({}, items)),
  });
  if (!answer.ok) throw new Error(`The envelope was answered with ${answer.status}: ${await answer.text()}`);
}

export async function reportErrors(
  app: RunningApp,
  errors: readonly (Record<string, unknown> & { event_id: string })[],
  project = 1,
): Promise<void> {
  for (const error of errors) await report(app, [jsonItem("event", error)], project);
  await filed(app, errors.at(-1)?.event_id ?? "", project);
}

/** Filing follows acceptance by some milliseconds. */
function filed(app: RunningApp, eventId: string, project: number): Promise<void> {
  const isFiled = async (): Promise<boolean> =>
    (await fetch(`${app.url}/_holdfast/${project}/events/${eventId}`)).status === 200;
  return holds(isFiled, `The event ${eventId} is filed`);
}

/** Waits until something holds, at most a minute. Without a test, because `pictures.ts` is none. */
export async function holds(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + 60_000;
  while (!(await isTrue())) {
    if (performance.now() > until) throw new Error(`Not after a minute: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function keyOf(app: RunningApp, project: number): string {
  const projects: { id: number; publicKey: string }[] = JSON.parse(
    readFileSync(join(app.dataFolder, "data/projects.json"), "utf8"),
  );
  const found = projects.find(({ id }) => id === project);
  if (!found) throw new Error(`There is no project ${project}.`);
  return found.publicKey;
}
