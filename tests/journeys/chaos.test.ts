import { expect, test } from "vitest";
import { application, buildApp, runHoldfast } from "../kit/index.ts";

/** Its links are named in `.env`. */
const app = application({
  ".env": "LINKED=/one,/two\n",
  "src/pages/index.tsx": `
    export default function Home({ data }) {
      return <><h1>Home</h1>{data.linked.map((to) => <a key={to} href={to}>{to}</a>)}</>;
    }`,
  "src/pages/index.server.ts": `
    import { load } from "holdfast/server";
    export const data = load(() => ({ linked: (process.env.LINKED ?? "").split(",").filter(Boolean) }));`,
  "src/pages/one.tsx": `export default function One() { return <h1>One</h1>; }`,
  "src/pages/two.tsx": `export default function Two() { return <h1>Two</h1>; }`,
});

test("an application's own links survive every fault, and the command reports it", async () => {
  await buildApp(app);
  const { code, log } = await runHoldfast(["chaos", app, "--links", "2"]);
  expect(log).toContain("14 clicks, 0 ended badly.");
  expect(log).toMatch(/page data never comes\s+arrived after \d+\.\d s by a full load/);
  expect(log).toMatch(/the connection is lost\s+stayed, said so, and arrived once the connection was back/);
  expect(code).toBe(0);
}, 240_000);
