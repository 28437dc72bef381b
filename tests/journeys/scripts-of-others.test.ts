import { expect } from "vitest";
import { application, journeyThrough, receiver, type Visitor, withoutJavaScript } from "../kit/index.ts";
import { buildApp, startBuiltApp } from "../kit/running-app.ts";
import { serve } from "../kit/small-server.ts";

const vendorPage = (title: string, other: string): string => `import { Link, Script } from "holdfast";
import { useState } from "react";
export default function Page({ data }: { data: { vendor: string } }) {
  const [states, setStates] = useState<string[]>([]);
  const note = (state: string) => () => setStates((last) => [...last, state]);
  return (
    <main>
      <h1>${title}</h1>
      <Script
        src={data.vendor + "/chat.js"}
        when="idle"
        attributes={{ crossorigin: "anonymous" }}
        onLoad={note("chat runs")}
      />
      <Script src={data.vendor + "/missing.js"} onError={note("missing failed")} onLoad={note("missing runs")} />
      <p id="states">{states.toSorted().join(", ")}</p>
      <Link to="${other}">Other</Link>
    </main>
  );
}
`;

const vendorData = (route: string, more = ""): string => `import { load } from "holdfast/server";
export const data = load("${route}", () => ({ vendor: process.env.VENDOR ?? "" }));
${more}`;

/** As the guide says it: one cache in a layout, with the nonce. */
const emotionLayout = `import createCache from "@emotion/cache";
import { CacheProvider } from "@emotion/react";
import { useNonce } from "holdfast";
import { type ReactNode, useState } from "react";
export default function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  const [cache] = useState(() => createCache({ key: "css", nonce }));
  return <CacheProvider value={cache}>{children}</CacheProvider>;
}
`;

const emotionPage = (
  title: string,
  other: string,
  colors: [string, string],
): string => `/** @jsxImportSource @emotion/react */
import { css } from "@emotion/react";
import { Link } from "holdfast";
import { useState } from "react";
export default function Page() {
  const [isPressed, setPressed] = useState(false);
  return (
    <main>
      <h1 css={css({ color: "${colors[0]}" })}>${title}</h1>
      <button type="button" css={isPressed && css({ color: "${colors[1]}" })} onClick={() => setPressed(true)}>
        Press
      </button>
      <Link to="${other}">Other</Link>
    </main>
  );
}
`;

const service = await receiver();

const app = application({
  "holdfast.config.ts": "export default { report: { dsn: process.env.TEST_DSN } };",
  "src/pages/index.tsx": vendorPage("Home", "/cached"),
  "src/pages/index.server.ts": vendorData("/"),
  "src/pages/cached.tsx": vendorPage("Cached", "/"),
  "src/pages/cached.server.ts": vendorData("/cached", 'export const cache = "public, max-age=60";\n'),
  "src/pages/styled/_layout.tsx": emotionLayout,
  "src/pages/styled/index.tsx": emotionPage("Styled", "/styled/more", ["rgb(255, 0, 0)", "rgb(0, 0, 255)"]),
  "src/pages/styled/more.tsx": emotionPage("More", "/styled", ["rgb(0, 128, 0)", "rgb(128, 0, 128)"]),
});

const test = journeyThrough(async () => {
  await buildApp(app);
  const vendor = await serve((asked, answer) => {
    if (asked.url !== "/chat.js") return void answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": "text/javascript", "access-control-allow-origin": "*" });
    answer.end("window.chats = (window.chats ?? 0) + 1; setTimeout(() => { throw new Error('the vendor broke'); });");
  });
  // Another origin than that of the application.
  const env = { TEST_DSN: service.dsn, VENDOR: vendor.url.replace("127.0.0.1", "localhost") };
  const running = await startBuiltApp({ app, env });
  return {
    url: running.url,
    stop: async () => {
      await running.stop();
      await vendor.stop();
      await service.stop();
    },
  };
});

test.for([
  ["/", "Home", "Cached"],
  ["/cached", "Cached", "Home"],
] as const)(
  "a script of another site runs once on %s, without a setting of the policy",
  async ([path, title, next], { visit }) => {
    const visitor = (await visit(path)).expecting(/the vendor broke/, /missing\.js|404/);
    await visitor.sees(title);
    const states = visitor.page.locator("#states", { hasText: "chat runs, missing failed" });
    await states.waitFor();
    await visitor.isAwake();
    await visitor.clickLink("Other");
    await visitor.sees(next);
    // The script has run; a failed one is tried again.
    await states.waitFor();
    expect(visitor.documentsLoaded).toBe(1);
    expect(await visitor.page.evaluate(() => (window as unknown as { chats: number }).chats)).toBe(1);
  },
);

test("an error in a script of another site is reported as that site's", async ({ visit }) => {
  const visitor = (await visit("/?reports")).expecting(/the vendor broke/, /missing\.js|404/);
  await visitor.page.locator("#states", { hasText: "chat runs" }).waitFor();
  const reported = () =>
    service.items.filter(({ type, value }) => type === "event" && value.request?.url?.endsWith("/?reports"));
  await expect.poll(reported).toHaveLength(1);
  expect(reported()[0]?.value).toMatchObject({
    level: "warning",
    tags: { vendor: expect.stringMatching(/^localhost:/) },
  });
});

const colorOf = (visitor: Visitor, role: "heading" | "button"): Promise<string> =>
  visitor.page.getByRole(role).evaluate((element) => getComputedStyle(element).color);

test("styles of emotion apply with the nonce: from the server, while the page runs and on the next page", async ({
  visit,
}) => {
  const visitor = await visit("/styled");
  expect(await colorOf(visitor, "heading")).toBe("rgb(255, 0, 0)");
  await visitor.isAlive();
  await visitor.pressButton("Press");
  await expect.poll(() => colorOf(visitor, "button")).toBe("rgb(0, 0, 255)");
  await visitor.clickLink("Other");
  await visitor.sees("More");
  expect(await colorOf(visitor, "heading")).toBe("rgb(0, 128, 0)");
  await visitor.pressButton("Press");
  await expect.poll(() => colorOf(visitor, "button")).toBe("rgb(128, 0, 128)");
  expect(visitor.documentsLoaded).toBe(1);
});

test("styles of emotion apply without JavaScript", async ({ visit }) => {
  const visitor = await visit("/styled/more", withoutJavaScript);
  expect(await colorOf(visitor, "heading")).toBe("rgb(0, 128, 0)");
});
