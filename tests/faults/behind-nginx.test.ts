import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { codeBlocksOf } from "../docs/read-guide.ts";
import { application, startApp } from "../kit/index.ts";
import { startNginx } from "../kit/nginx.ts";

const guide = readFileSync(join(root, "docs/guides/caching-at-the-edge.md"), "utf8");
const configuration = codeBlocksOf(guide).find(({ language }) => language === "nginx")?.text ?? "";

/** Each page shows how often it was rendered. */
const counting = (exports: string): string => `import { load } from "holdfast/server";
${exports}
let rendered = 0;
export const data = load(() => {
  rendered += 1;
  return { text: \`rendered \${rendered} times \${"for nginx ".repeat(200)}\` };
});
`;
const shown = "export default ({ data }: { data: { text: string } }) => <p>{data.text}</p>;";

const app = application({
  "holdfast.config.ts": `import type { HoldfastConfig } from "holdfast/server";
export default { trustedProxies: ["127.0.0.1"], edge: { unpurgedSeconds: 600 } } satisfies HoldfastConfig;
`,
  "src/pages/index.tsx": shown,
  "src/pages/index.server.ts": counting('export const cache = { fresh: "10m", tags: ["items"] };'),
  "src/pages/brief.tsx": shown,
  "src/pages/brief.server.ts": counting("export const cache = { fresh: 1, stale: 600 };"),
  "src/pages/own.tsx": shown,
  "src/pages/own.server.ts": counting(""),
  "src/pages/welcome.tsx": shown,
  "src/pages/welcome.server.ts": counting(`export const cache = "public, max-age=0, s-maxage=600";
export const guard = ({ cookies, url }) => {
  if (url.searchParams.has("new")) cookies.set("seen", "1");
};`),
  "src/pages/change.server.ts": `import { invalidate } from "holdfast/server";
export function POST(): Response {
  invalidate("items");
  return new Response();
}
`,
});

test("nginx, configured as in the guide, stores what is public and nothing else, and has it when the application is gone", async () => {
  await using running = await startApp({ app });
  await using nginx = await startNginx(configuration, running.url);
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Answered> => {
    const answer = await fetch(nginx.url + path, { headers });
    const text = await answer.text();
    return {
      status: answer.status,
      cache: answer.headers.get("x-cache"),
      type: answer.headers.get("content-type")?.split(";")[0],
      tag: answer.headers.get("etag") ?? "",
      rendered: Number(/rendered (?:<!-- -->)?(\d+)/.exec(text)?.[1]),
    };
  };
  const html = { status: 200, type: "text/html" };
  const lines = { status: 200, type: "application/vnd.holdfast.page-data" };

  // A second visitor, with a cookie of another page, gets the copy of the first.
  expect(await ask("/")).toMatchObject({ ...html, cache: "MISS", rendered: 1 });
  expect(await ask("/", { cookie: "session=7" })).toMatchObject({ ...html, cache: "HIT", rendered: 1 });
  const { tag } = await ask("/");
  expect(await ask("/", { "if-none-match": tag })).toMatchObject({ status: 304, cache: "HIT" });
  // A browser without compression gets a readable copy of its own.
  expect(await ask("/", { "accept-encoding": "identity" })).toMatchObject({ ...html, cache: "MISS" });
  expect(await ask("/", { "accept-encoding": "identity" })).toMatchObject({ ...html, cache: "HIT" });

  // Page data is at its own address, and is the application's.
  for (const _ of [1, 2]) {
    expect(await ask("/_data")).toMatchObject({ ...lines, cache: "MISS" });
    expect(await ask("/")).toMatchObject({ ...html, cache: "HIT", rendered: 1 });
  }

  // Neither a page without `cache` nor one that sets a cookie is stored.
  for (const times of [1, 2]) {
    expect(await ask("/own")).toMatchObject({ ...html, cache: "MISS", rendered: times });
    expect(await ask("/welcome?new")).toMatchObject({ ...html, cache: "MISS", rendered: times });
  }

  // nginx knows nothing of tags: one address is asked for again, or everything is forgotten.
  await fetch(`${nginx.url}/change`, { method: "POST" });
  expect(await ask("/", { "x-refresh": "a guess" })).toMatchObject({ cache: "HIT", rendered: 1 });
  expect(await ask("/", { "x-refresh": "put-a-secret-here" })).toMatchObject({ ...html, cache: "BYPASS", rendered: 2 });
  expect(await ask("/")).toMatchObject({ cache: "HIT", rendered: 2 });
  for (const file of readdirSync(nginx.cacheFolder)) rmSync(join(nginx.cacheFolder, file), { recursive: true });
  expect(await ask("/")).toMatchObject({ ...html, cache: "MISS", rendered: 2 });

  // Without the application, old copies are shown for as long as the page says.
  expect(await ask("/brief")).toMatchObject({ ...html, cache: "MISS", rendered: 1 });
  await running.kill();
  await expect.poll(() => ask("/brief")).toMatchObject({ ...html, cache: "STALE", rendered: 1 });
  expect(await ask("/")).toMatchObject({ ...html, cache: "HIT" });
  expect((await ask("/own")).status).toBe(502);
});

interface Answered {
  status: number;
  cache: string | null;
  type: string | undefined;
  tag: string;
  rendered: number;
}
