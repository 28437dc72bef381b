import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test as plainTest } from "vitest";
import { root } from "../../scripts/root.js";
import { application, inLongRuns, journey, runHoldfast, withoutJavaScript } from "../kit/index.ts";
import { keptDigests } from "../kit/kept-events.ts";

const main = (heading: string, more = ""): string => `<main><h1>${heading}</h1>${more}</main>`;

/** One application with everything that changes addresses: a path, languages, a slash at the end. */
const app = application({
  "holdfast.config.ts": 'export default { trailingSlash: "always", languages: { list: ["en", "de"] } };\n',
  "vite.config.ts":
    'import { holdfast } from "holdfast/vite";\nexport default { plugins: [holdfast({ at: "/shop" })] };\n',
  "src/pages/index.tsx": `import { Link } from "holdfast";
export default ({ data }: PageProps<"/">) => ${main(
    "Home {data.lang}",
    `<p id="made">{data.pid}</p>
    <Link to="/guides/[name]" params={{ name: "first" }}>First</Link>{" "}
    <Link to="/guides/[name]" params={{ name: "AC/DC" }}>Second</Link>{" "}
    <Link to="/guides/[name]" params={{ name: "other" }}>Other</Link>{" "}
    <Link to="/notes/[id]" params={{ id: 2 }}>Note two</Link>{" "}
    <Link to="/contact">Contact</Link>`,
  )};
`,
  "src/pages/index.server.ts": `import { load } from "holdfast/server";
export const prerender = true;
export const data = load("/", ({ lang }) => ({ lang, pid: process.pid }));
`,
  "src/pages/guides/[name].tsx": `import { Await } from "holdfast";
export default ({ params, data }: PageProps<"/guides/[name]">) => ${main(
    "Guide {params.name}",
    `<p id="made">{data.pid}</p><Await value={data.late}>{(text) => <p id="late">{text}</p>}</Await>`,
  )};
`,
  "src/pages/guides/[name].server.ts": `import { load, type Prerender } from "holdfast/server";
export const prerender: Prerender<"/guides/[name]"> = {
  async *params() {
    yield { name: "first" };
    yield { name: "AC/DC" };
  },
  others: "not-found",
};
export const data = load("/guides/[name]", () => ({
  pid: process.pid,
  late: new Promise<string>((resolve) => setTimeout(resolve, 20, "and late")),
}));
`,
  "src/pages/notes/[id].tsx": `export default ({ params, data }: PageProps<"/notes/[id]">) => ${main("Note {params.id}", '<p id="made">{data.pid}</p>')};\n`,
  "src/pages/notes/[id].server.ts": `import { load, type Prerender } from "holdfast/server";
export const prerender: Prerender<"/notes/[id]"> = [{ id: 1 }];
export const data = load("/notes/[id]", () => ({ pid: process.pid }));
`,
  "src/pages/contact.tsx": `import { Form } from "holdfast";
export default ({ actions }: PageProps<"/contact">) => ${main(
    "Contact",
    `<Form action={actions.send}>{(form) => <><input name="text" aria-label="Text" /><button>Send</button><p>{String(form.result ?? "")}</p></>}</Form>`,
  )};
`,
  "src/pages/contact.server.ts": `import { action } from "holdfast/server";
export const prerender = true;
export const actions = { send: action({}, async ({ input }) => \`got \${(input as FormData).get("text")}\`) };
`,
});

const test = journey({ app });

describe("a page that the build has made", () => {
  test("a page that the build has made is a file: no load runs, in every language and without JavaScript", async ({
    app: running,
    visit,
  }) => {
    for (const [address, lang] of [
      ["/shop/", "en"],
      ["/shop/de/", "de"],
    ] as const) {
      const visitor = await visit(address, withoutJavaScript);
      await visitor.sees(`Home ${lang}`);
      expect(await visitor.page.textContent("#made")).not.toBe(String(running.pid));
    }
    const response = await fetch(`${running.url}/shop/guides/first/`, { headers: { "accept-encoding": "br" } });
    expect(response.headers.get("content-encoding")).toBe("br");
    expect(response.headers.get("content-security-policy")).toMatch(/^script-src 'sha256-/);
    expect(response.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    const tag = response.headers.get("etag") ?? "";
    const html = await response.text();
    expect(html).toContain("and late");
    // The styles and fonts of a complete page come first. The header requests the entry before the document is parsed.
    const preloads = [...html.matchAll(/<link rel="modulepreload" href="([^"]+)"( fetchpriority="low")?/g)];
    expect(preloads.map(([, , isLow]) => isLow !== undefined)).toEqual(preloads.map(() => true));
    const link = `<${preloads[0]?.[1]}>; rel=modulepreload; fetchpriority=low`;
    expect(response.headers.get("link")).toBe(link);
    expect(link).toMatch(/_assets\/entry-/);
    const again = await fetch(`${running.url}/shop/guides/first/`, {
      headers: { "accept-encoding": "br", "if-none-match": tag },
    });
    expect(again.status).toBe(304);
    const bare = await fetch(`${running.url}/shop/guides/first`, { redirect: "manual" });
    expect(bare.headers.get("location")).toBe("/shop/guides/first/");
  });

  test("a visitor clicks through pages that the build has made, ahead, back and to one that it has not", async ({
    app: running,
    visit,
  }) => {
    const visitor = await visit("/shop/de/");
    await visitor.isAwake();
    // Header, element and script name the same module.
    expect(visitor.requestsFor(/_assets\/entry-/).length).toBe(1);
    await visitor.clickLink("First");
    await visitor.sees("Guide first");
    await expect.poll(() => visitor.page.textContent("#late")).toBe("and late");
    expect(await visitor.page.textContent("#made")).not.toBe(String(running.pid));
    await visitor.page.goBack();
    await visitor.sees("Home de");
    await visitor.clickLink("Second");
    await visitor.sees("Guide AC/DC");
    await visitor.page.reload();
    await visitor.sees("Guide AC/DC");
    await visitor.page.goBack();
    await visitor.sees("Home de");
    await visitor.isAwake();
    const documents = visitor.documentsLoaded;
    await visitor.clickLink("Note two");
    await visitor.sees("Note 2");
    expect(await visitor.page.textContent("#made")).toBe(String(running.pid));
    expect(visitor.documentsLoaded).toBe(documents);
  });

  test("an address that is not listed is not found if the page says so", async ({ app: running }) => {
    expect((await fetch(`${running.url}/shop/guides/other/`)).status).toBe(404);
    expect((await fetch(`${running.url}/shop/notes/7/`)).status).toBe(200);
  });

  test("a form of a page that the build has made reaches its action, with and without JavaScript", async ({
    visit,
  }) => {
    for (const options of [{}, withoutJavaScript]) {
      const visitor = await visit("/shop/contact/", options);
      await visitor.fillIn("Text", "hello");
      await visitor.pressButton("Send");
      await expect.poll(() => visitor.page.textContent("main p")).toBe("got hello");
    }
  });
});

plainTest(
  "`vite build` makes the pages too, and fails with one that cannot be made",
  async () => {
    const folder = join(
      root,
      application({
        "vite.config.ts": `import react from "@vitejs/plugin-react";
import { holdfast } from "holdfast/vite";
export default { plugins: [react(), holdfast()] };
`,
        "src/pages/index.tsx": 'export default ({ data }: PageProps<"/">) => <h1>Made with {data.made}</h1>;\n',
        "src/pages/index.server.ts": `import { load } from "holdfast/server";
export const prerender = true;
export const data = load("/", ({ cookies }) => ({ made: process.env.TEST_BROKEN ? cookies.get("name") : "Vite" }));
`,
      }),
    );
    const viteBuild = async (env: Record<string, string>): Promise<{ code: number | null; said: string }> => {
      const vite = spawn(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build"], {
        cwd: folder,
        env: { ...process.env, ...env },
      });
      let said = "";
      for (const stream of [vite.stdout, vite.stderr])
        stream.on("data", (piece) => {
          said += piece;
        });
      const [code] = await once(vite, "close");
      return { code, said };
    };
    const madeFile = (): string =>
      readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".html"))
        .map((file) => readFileSync(join(folder, "dist", file), "utf8"))
        .join();
    // Shells and test runners set other values, and the code of both sides is for production with each of them.
    for (const nodeEnv of ["development", ...inLongRuns("", "test")]) {
      const { code, said } = await viteBuild({ NODE_ENV: nodeEnv });
      expect(code, said).toBe(0);
      expect(madeFile()).toContain("Vite</h1>");
      expect(madeFile()).toContain(`"environment":"${nodeEnv || "production"}"`);
    }
    const broken = await viteBuild({ TEST_BROKEN: "1" });
    expect(broken.code).toBe(1);
    expect(broken.said).toContain("cookies");
    expect(madeFile()).toContain("Vite</h1>");
  },
  120_000,
);

plainTest("a build with a page that cannot be made fails with its event, and leaves no build", async () => {
  const folder = join(
    root,
    application({
      "src/pages/index.tsx": "export default () => <h1>Home</h1>;\n",
      "src/pages/orders/[id].tsx": "export default () => <h1>Order</h1>;\n",
      "src/pages/orders/[id].server.ts": `import { load } from "holdfast/server";
export const prerender = () => [{ id: "1" }, { id: "2" }, { id: "3" }];
function find(id: string) {
  if (id === "2") throw new TypeError("no order " + id);
  return id;
}
export const data = load("/orders/[id]", ({ params, cookies }) => ({
  order: find(params.id),
  theme: params.id === "3" ? cookies.get("theme") : "light",
}));
`,
    }),
  );
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const data = mkdtempSync(join(tmpdir(), "holdfast-build-"));
  const { code, log } = await runHoldfast(["build", folder], { HOLDFAST_DATA: data });
  expect(code).toBe(1);
  expect(log).toContain('/orders/2 (/orders/[id], {"id":"2"})\n    TypeError: no order 2\n');
  expect(log).toContain("at find (src/pages/orders/[id].server.ts:4:25)");
  expect(log).toContain("The page /orders/3 is made by the build, and reads cookies (theme)");
  expect(log).toContain("src/pages/orders/[id].server.ts:9:38");
  expect(log).toContain("[prerender-failed]");
  expect(existsSync(join(folder, "dist"))).toBe(false);
  expect(existsSync(join(folder, "dist.growing"))).toBe(false);
  const [, digest = ""] = /Digest (\S+)/.exec(log) ?? [];
  expect(keptDigests(data)).toEqual([digest]);
});
