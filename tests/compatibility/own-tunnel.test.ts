import { join } from "node:path";
import { expect } from "vitest";
import { eventByIdOrDigest, openReader } from "../../src/service/index.ts";
import { Projects } from "../../src/service/projects.ts";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { application, journeyThrough, startApp } from "../kit/index.ts";

/** A page with the official client, configured with the application's own DSN and tunnel. */
const app = application({
  "holdfast.config.ts": `export default { report: { sampleRate: 0, release: "shop@1" } };`,
  "src/pages/index.tsx": `
    import * as official from "sentry-browser-11";
    export default function Page() {
      const start = () => {
        const dsn = new URLSearchParams(location.search).get("dsn") ?? "";
        official.init({ dsn, tunnel: "/_holdfast/post", release: "shop@1", tracesSampler: () => 1, integrations: [official.browserTracingIntegration()] });
      };
      const report = () => {
        window.reported = official.captureException(new TypeError("cannot pay through the tunnel"));
        official.captureFeedback({ message: "My cart is gone.", associatedEventId: window.reported });
      };
      return <><h1>Shop</h1>
        <button type="button" onClick={start}>Start</button>
        <button type="button" onClick={report}>Report</button></>;
    }`,
});

const test = journeyThrough(() => startApp({ app }));

test("the official client reports through the application's own tunnel, with the application's own DSN", async ({
  visit,
  app,
}) => {
  const folder = join(app.dataFolder, "data");
  const [project] = (await Projects.open(folder)).all;
  const { host } = new URL(app.url);
  const visitor = await visit(`/?dsn=${encodeURIComponent(`http://${project?.publicKey}@${host}/_holdfast/1`)}`);
  await visitor.isAlive();
  const answers: number[] = [];
  visitor.page.on("response", (response) => {
    if (response.url().endsWith("/_holdfast/post")) answers.push(response.status());
  });
  for (const button of ["Start", "Report"]) await visitor.pressButton(button);
  const id: string = await visitor.page.evaluate(() => Reflect.get(window, "reported"));

  const reader = await openReader(folder);
  await expect
    .poll(async () => (await eventByIdOrDigest({ store: reader, now: Date.now() }, 1, id))?.feedback)
    .toMatchObject([{ message: "My cart is gone." }]);
  expect((await eventByIdOrDigest({ store: reader, now: Date.now() }, 1, id))?.issue).toMatchObject({
    type: "TypeError",
    lastRelease: "shop@1",
  });
  const pageLoads = () =>
    reader.segments({ project: 1, route: "/", kind: "pageload", from: 0, to: Date.now() + 60_000, limit: 9 });
  await expect.poll(pageLoads).toMatchObject([{ release: "shop@1" }]);
  expect((await reader.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 })).issues).toHaveLength(1);
  expect(new Set(answers)).toEqual(new Set([200]));
  reader.close();
});

test("a DSN of another project, or with a key that is no longer used, is refused by name", async ({ app }) => {
  const projects = await Projects.open(join(app.dataFolder, "data"));
  const other = await projects.add("other");
  const keyOf = (id: number): string => projects.byId(id)?.publicKey ?? "";
  const post = async (dsn: string): Promise<number> => {
    const body = `${JSON.stringify({ dsn })}\n{"type":"event"}\n{"message":"hello"}\n`;
    const answer = await fetch(`${app.url}/_holdfast/post`, { method: "POST", body, headers: { origin: app.url } });
    return answer.status;
  };
  const old = keyOf(1);
  expect(await post(`https://${old}@www.shop.example/_holdfast/1`)).toBe(200);
  expect(await post(`https://${other.publicKey}@www.shop.example/_holdfast/${other.id}`)).toBe(403);
  expect(await post(`https://${other.publicKey}@www.shop.example/_holdfast/1`)).toBe(403);
  expect(await post("nonsense")).toBe(403);
  await projects.renewKey(1);
  await expect.poll(() => post(`https://${keyOf(1)}@www.shop.example/_holdfast/1`)).toBe(200);
  expect(await post(`https://${old}@www.shop.example/_holdfast/1`)).toBe(403);
});
