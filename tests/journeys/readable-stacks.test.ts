import { describe, expect } from "vitest";
import { openReader, Projects } from "#service";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { createUploadToken } from "../../src/service/uploads/upload-tokens.ts";
import { dataFolder, RunningService } from "../faults/running-service.ts";
import { application, journeyThrough, startApp } from "../kit/index.ts";

const app = application({
  "holdfast.config.ts": `export default { report: { dsn: process.env.REPORT_DSN } };`,
  "src/cart.ts": `
export interface Item { readonly price: number }

export function totalOf(items: readonly Item[]): number {
  const [first] = items;
  if (first === undefined) throw new Error("The cart is empty, " + side());
  return first.price;
}

function side(): string {
  return typeof window === "undefined" ? "on the server." : "in the browser.";
}
`,
  "src/pages/index.tsx": `
import { totalOf } from "../cart.ts";

export default function Home() {
  return <main><h1>Home</h1><button type="button" onClick={() => void totalOf([])}>Pay</button></main>;
}
`,
  "src/pages/broken.tsx": `export default function Broken() { return <h1>Broken</h1>; }`,
  "src/pages/broken.server.ts": `
import { load } from "holdfast/server";
import { totalOf } from "../cart.ts";

export const data = load(() => ({ total: totalOf([]) }));
`,
});

const data = dataFolder();
const service = await RunningService.start(data.path);
const projects = await Projects.open(data.path);
const { publicKey } = await projects.add("shop");
const made = await createUploadToken(projects, 2, { name: "shop", now: Date.now() });
const dsn = Object.assign(new URL(service.dsn), { username: publicKey, pathname: "/2" }).href;

/** Starts the application on a port of its own. It shares nothing with the service but the DSN and the token. */
const test = journeyThrough(async () => {
  const token = made.kind === "created" ? made.token : expect.fail(made.why);
  const running = await startApp({ app, env: { REPORT_DSN: dsn, HOLDFAST_UPLOAD_TOKEN: token } });
  return {
    url: running.url,
    get crash() {
      return running.crash;
    },
    async stop() {
      await running.stop();
      await service[Symbol.asyncDispose]();
      data[Symbol.dispose]();
    },
  };
});

describe("an application that reports to a service on another machine", () => {
  test("shows TypeScript lines for its first errors, of the browser and of the server", async ({
    app: shop,
    visit,
  }) => {
    expect((await fetch(`${shop.url}/broken`)).status).toBe(500);
    const visitor = await visit("/");
    visitor.expecting(/The cart is empty, in the browser/);
    await visitor.isAlive();
    await visitor.page.getByRole("button", { name: "Pay" }).click();
    const reader = await openReader(data.path);
    const found = async () =>
      (await reader.issues({ project: 2, filter: everyIssue, sort: "last-seen", limit: 9 })).issues;
    await expect.poll(async () => (await found()).length, { timeout: 30_000 }).toBe(2);
    for (const issue of await found()) {
      const event = await reader.event(2, issue.lastEventId);
      const frames = event?.body.kind === "whole" ? event.body.event.exceptions.at(-1)?.frames : [];
      expect(frames?.at(-1), issue.title).toMatchObject({
        filename: expect.stringMatching(/(?:^|\/)src\/cart\.ts$/),
        line: 6,
        function: "totalOf",
        contextLine: '  if (first === undefined) throw new Error("The cart is empty, " + side());',
      });
    }
    expect(await reader.chunkCounts(1)).toEqual(new Map());
    reader.close();
  });
});
