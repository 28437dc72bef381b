import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { root } from "../../scripts/root.js";
import { application, journey } from "../kit/index.ts";

/** Features that the guides promise, in one built application. */
const app = application({
  "holdfast.config.ts": `export default {
  csp: { "style-src": ["'unsafe-inline'"] },
  pageExtensions: ["mdx", "md"],
  nativePackages: ["marked"],
};
`,
  "vite.config.ts": `import { compile } from "@mdx-js/mdx";
import { holdfast } from "holdfast/vite";
const mdx = {
  name: "mdx",
  enforce: "pre" as const,
  transform: async (value: string, path: string) =>
    /\\.mdx?$/.test(path) ? { code: String(await compile({ value, path })), map: null } : undefined,
};
export default { plugins: [mdx, holdfast({ elsewhere: ["/shop"] })] };
`,
  "src/sold.tsx": "export const Sold = ({ what }: { what: string }) => <em>{what}</em>;\n",
  "src/pages/terms.mdx": `import { Sold } from "../sold.tsx";

<title>Terms of use</title>

# Terms of {props.data.year}

<Sold what="Nothing" /> is sold. [Notes](/notes)
`,
  "src/pages/terms.server.ts": `import { load } from "holdfast/server";
export const data = load("/terms", () => ({ year: 1999 }));
`,
  "src/pages/notes.md": "# Notes\n\n*Plain* text.\n",
  "src/pages/written.server.ts": `import { marked } from "marked";
export const GET = (): Response => new Response(marked.parse("*a*", { async: false }));
`,
  "src/card.module.css": ".card { color: rgb(1, 2, 3) }",
  "src/pages/index.tsx": `import { useEffect } from "react";
import styles from "../card.module.css";
export default function Home() {
  useEffect(() => {
    const style = document.createElement("style");
    style.textContent = "#written { color: rgb(4, 5, 6) }";
    document.head.append(style);
    const source = new EventSource("/ticks");
    source.onmessage = ({ data }) => {
      document.title = data;
      if (data === "tick 3") source.close();
    };
    return () => source.close();
  }, []);
  return (
    <main>
      <h1>Home</h1>
      <p id="module" className={styles.card}>a</p>
      <p id="written">b</p>
      <a href="/shop/socks">Socks</a>
    </main>
  );
}
`,
  "src/pages/ticks.server.ts": `export function GET(request: Request): Response {
  let count = 0;
  const ticks = new ReadableStream<string>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      controller.enqueue(\`data: tick \${++count}\\n\\n\`);
    },
    cancel() {
      console.log("cancelled after " + count);
    },
  });
  return new Response(ticks.pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
`,
  "src/pages/sitemap.xml.server.ts": `export function GET(request: Request): Response {
  const { origin } = new URL(request.url);
  const addresses = ["/", "/moved"].map((path) => \`<url><loc>\${origin}\${path}</loc></url>\`);
  return new Response(
    \`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\${addresses.join("")}</urlset>\`,
    { headers: { "content-type": "application/xml" } },
  );
}
`,
  "src/pages/moved.tsx": "export default function Moved() { return <h1>Never</h1>; }\n",
  "src/pages/moved.server.ts": `import { load, redirect } from "holdfast/server";
export const data = load("/moved", ({ url }): never => {
  const status = Number(url.searchParams.get("status"));
  if (status === 301 || status === 302 || status === 307 || status === 308) return redirect("/", undefined, { status });
  return redirect("/");
});
`,
  "src/pages/count.tsx": "export default function Count() { return <h1>Count</h1>; }\n",
  "src/pages/count.server.ts": `import { action, type StandardSchema } from "holdfast/server";
const list: StandardSchema<{ numbers: number[] }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value: unknown) => {
      const numbers: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "numbers") : undefined;
      if (Array.isArray(numbers) && numbers.every((one) => typeof one === "number")) return { value: { numbers } };
      return { issues: [{ message: "Numbers, please.", path: ["numbers"] }] };
    },
  },
};
export const actions = { sum: action({ input: list }, ({ input }) => ({ sum: input.numbers.reduce((a, b) => a + b, 0) })) };
`,
});
const test = journey({ app });

describe("an application may use", () => {
  test("CSS modules, and with its own CSP setting styles that a library writes at run time", async ({ visit }) => {
    const visitor = await visit("/");
    await visitor.isAlive();
    const colour = (id: string): Promise<string> =>
      visitor.page.locator(`#${id}`).evaluate((element) => getComputedStyle(element).color);
    expect(await colour("module")).toBe("rgb(1, 2, 3)");
    await expect.poll(() => colour("written")).toBe("rgb(4, 5, 6)");
  });

  test("pages of MDX and Markdown, with layouts, data and soft navigations as others have", async ({ visit }) => {
    const visitor = await visit("/terms");
    await visitor.isAlive();
    await visitor.sees("Terms of 1999");
    expect(await visitor.page.title()).toBe("Terms of use");
    expect(await visitor.page.locator("em").textContent()).toBe("Nothing");
    await visitor.clickLink("Notes");
    await visitor.sees("Notes");
    expect(await visitor.page.locator("em").textContent()).toBe("Plain");
    expect(visitor.documentsLoaded).toBe(1);
  });

  test("packages with compiled parts, which stay where they are installed", async ({ app: { url } }) => {
    expect(await (await fetch(`${url}/written`)).text()).toBe("<p><em>a</em></p>\n");
    const server = join(root, app, "dist/server");
    const code = readdirSync(server, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
    const importing = code.filter((file) => /from ?"marked"/.test(readFileSync(join(server, file), "utf8")));
    expect(importing).toHaveLength(1);
  });

  test("server-sent events, each as it arrives, until the visitor leaves", async ({ visit, app: running }) => {
    const visitor = await visit("/");
    await expect.poll(() => visitor.page.title()).toBe("tick 3");
    await expect.poll(() => running.log).toMatch(/cancelled after \d+/);
  });

  test("a file name with an extension as an address, such as a sitemap", async ({ app: { url } }) => {
    const answer = await fetch(`${url}/sitemap.xml`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/xml"]);
    expect(await answer.text()).toContain(`<loc>${url}/moved</loc>`);
  });

  test("a permanent redirect, or one that keeps the method", async ({ app: { url } }) => {
    const answers = await Promise.all(
      ["", "301", "302", "307", "308"].map(async (status) => {
        const answer = await fetch(`${url}/moved?status=${status}`, { redirect: "manual" });
        return [answer.status, answer.headers.get("location")];
      }),
    );
    expect(answers).toEqual([303, 301, 302, 307, 308].map((status) => [status, "/"]));
  });

  test("JSON as the body of an action, checked by the same schema", async ({ app: { url } }) => {
    const post = async (body: unknown): Promise<Response> =>
      fetch(`${url}/count/_action/sum/_data`, {
        method: "POST",
        headers: { origin: url, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const wrong = await post({ numbers: "many" });
    expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("Numbers, please.")]);
    const right = await post({ numbers: [1, 2, 3] });
    expect([right.status, await right.text()]).toEqual([200, expect.stringContaining('"result":{"sum":6}')]);
  });

  test("a literal link below a path that another server handles", async ({ visit, proxy }) => {
    proxy.when("/shop/socks").answer(200, "<h1>Socks</h1>");
    const visitor = await visit("/");
    await visitor.clickLink("Socks");
    await visitor.sees("Socks");
  });
});
