import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { buildApplication } from "#build";
import { HoldfastError } from "#errors";
import { root } from "../../scripts/root.js";
import { application, inLongRuns, isLong, runHoldfast } from "../kit/index.ts";

/** Builds an application of these files. Resolves with the error message, empty on success. */
async function buildOf(files: Record<string, string | Buffer>): Promise<string> {
  const folder = join(root, application(files));
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const failure: unknown = await buildApplication({ root: folder }).then(
    () => null,
    (error: unknown) => error,
  );
  expect(existsSync(join(folder, "dist"))).toBe(failure === null);
  expect(existsSync(join(folder, "dist.growing"))).toBe(false);
  if (failure === null) return "";
  expect(failure).toBeInstanceOf(HoldfastError);
  return failure instanceof Error ? failure.message : "";
}

const page = (text: string, ...lines: string[]) =>
  `${lines.join("\n")}\nexport default function Page() { return <p>${text}</p>; }\n`;

describe("a build is refused", () => {
  it("a build is refused without pages", async () => {
    expect(await buildOf({ "src/main.ts": "" })).toMatch(/no page files in .*src\/pages.*\[no-pages\]/);
  });

  it("a build is refused when a route or an action declares a limit that cannot hold", async () => {
    const build = async (server: string, file = "src/pages/send.server.ts") => {
      const layout = "export default ({ children }) => children;";
      const pages = { "src/pages/send.tsx": page("send"), "src/pages/_layout.tsx": layout };
      return runHoldfast(["build", application({ ...pages, [file]: server })]);
    };
    const actions = (options: string) =>
      `import { action } from "holdfast/server";\nexport const actions = { save: action({ ${options} }, () => ({})) };`;
    for (const [server, said] of [
      ["export const timeout = 9_000;", "send.server.ts sets a limit that cannot hold. timeout must be at most"],
      ...inLongRuns([
        actions("bodyBytes: 0"),
        "send.server.ts (actions.save) sets a limit that cannot hold. bodyBytes must be at least",
      ] as const),
      [actions("uploads: true, uploadBytes: 10 ** 12"), "(actions.save) sets a limit that cannot hold. uploadBytes"],
    ] as const) {
      const { code, log } = await build(server);
      expect(log).toContain(said);
      expect(log).toContain("[wrong-limit]");
      expect(code).toBe(1);
    }
    for (const [file, named] of [
      ["src/pages/_layout.server.ts", "_layout.server.ts"],
      ["src/parts/cart.actions.server.ts", "src/parts/cart.actions.server.ts"],
    ] as const) {
      const { code, log } = await build(actions("timeout: 9_000"), file);
      expect(log).toContain(`${named} (actions.save) sets a limit that cannot hold. timeout must be at most`);
      expect(code).toBe(1);
    }
    const { log } = await build(actions("uploadBytes: 1_000_000"));
    expect(log).toContain("uploadBytes and files are for uploads: true");
    // Only the running code knows it.
    expect((await build("export const timeout = Number(process.env.NOT_SET ?? 9_000);")).code).toBe(0);
  });

  it("a build is refused when a line of redirects or rewrites cannot work", async () => {
    const pages = { "src/pages/index.tsx": page("a"), "src/pages/posts/[name].tsx": page("b"), "public/logo.svg": "" };
    const config = (tables: object) => ({
      ...pages,
      "holdfast.config.ts": `export default ${JSON.stringify(tables)};`,
    });
    const wrong = {
      redirects: [
        { from: "/a", to: "/b" },
        { from: "/b", to: "/a" },
        { from: "/c", to: "/nowhere" },
        { from: "/posts/[id]", to: "/" },
        { from: "/d", to: "/logo.svg" },
      ],
    };
    const message = await buildOf(config(wrong));
    expect(message).toContain("The redirect from /a to /b is a loop: /a, then /b, then /a.");
    expect(message).toContain("The redirect from /c to /nowhere leads to /nowhere, which nothing answers.");
    expect(message).toContain("The redirect from /posts/[id] hides src/pages/posts/[name].tsx.");
    expect(message).not.toContain("/logo.svg");
    const same = [
      { from: "/x/[a]", to: "/" },
      { from: "/x/[b]", to: "/" },
    ];
    expect(await buildOf(config({ rewrites: same }))).toMatch(/has the same source as .*\[wrong-redirects\]/);
    const linked = { ...pages, "src/pages/index.tsx": page("a", 'export const link = <a href="/old/7">old</a>;') };
    const right = { redirects: [{ from: "/old/[name]", to: "/posts/[name]" }] };
    expect(await buildOf({ ...linked, "holdfast.config.ts": `export default ${JSON.stringify(right)};` })).toBe("");
    expect(await buildOf(linked)).toContain('links to "/old/7", which no page answers');
  });

  it.each([
    [
      "a plugin throws",
      'export default { plugins: [{ name: "shop:icons", transform(_: string, id: string) { if (id.endsWith("index.tsx")) throw new Error("no icon"); } }] };',
      /Plugin shop:icons in src\/pages\/index\.tsx: no icon \(vite\.config\.ts\)/,
    ],
    [
      "a plugin names a place",
      'export default { plugins: [{ name: "shop:icons", transform(this: any, _: string, id: string) { if (id.endsWith("index.tsx")) this.error({ message: "no icon", loc: { line: 2, column: 3, file: id } }); } }] };',
      /Plugin shop:icons in src\/pages\/index\.tsx:2:3: no icon/,
    ],
    [
      "a plugin fails at its start",
      'export default { plugins: [{ name: "shop:icons", buildStart() { throw new Error("no licence"); } }] };',
      /Plugin shop:icons: no licence \(vite\.config\.ts\)/,
    ],
    [
      "its vite.config fails",
      'throw new Error("no licence");',
      /vite\.config cannot be loaded: no licence \(vite\.config\.ts\)/,
    ],
  ])("a build is refused when %s, in its words and without a stack", async (_, config, words) => {
    const files = { "vite.config.ts": config, "src/pages/index.tsx": page("a") };
    if (isLong) expect(await buildOf(files)).toMatch(words);
    const { code, log } = await runHoldfast(["build", join(root, application(files))]);
    expect(code).toBe(1);
    expect(log).toMatch(words);
    expect(log).not.toMatch(/^\s+at /m);
  });

  it.each([
    ["cannot be compiled", "export default function Page() { return <p>", "src/pages/index.tsx:1:4"],
    [
      "imports what is not there",
      'import "./nothing.ts";\nexport default () => <p />;',
      "Could not resolve './nothing.ts'",
    ],
  ])("a build is refused when a page %s, with the place", async (_, code, words) => {
    const said = await buildOf({ "src/pages/index.tsx": code });
    expect(said).toContain(words);
    expect(said).toContain("[build-failed]");
    expect(said).not.toContain(String.fromCharCode(27));
  });

  it("a build is refused when two files answer one path", async () => {
    expect(await buildOf({ "src/pages/new.tsx": page("a"), "src/pages/new/index.tsx": page("b") })).toMatch(
      /Both src\/pages\/new\.tsx and src\/pages\/new\/index\.tsx answer \/new/,
    );
  });

  it("a build is refused when a file from public hides a route", async () => {
    expect(
      await buildOf({
        "src/pages/index.tsx": page("a"),
        "src/pages/robots.txt.server.ts": "export const GET = () => new Response()",
        "public/robots.txt": "x",
      }),
    ).toMatch(
      /public\/robots\.txt has the same address, \/robots\.txt, as the route src\/pages\/robots\.txt\.server\.ts/,
    );
  });

  it("a build is refused when a page imports a file under src/server, naming the chain", async () => {
    const said = await buildOf({
      "src/pages/index.tsx": page("{total}", 'import { total } from "../money.ts";'),
      "src/money.ts": 'export { total } from "./server/orders.ts";',
      "src/server/orders.ts": "export const total = 7;",
    });
    expect(said).toContain("src/pages/index.tsx → src/money.ts → src/server/orders.ts");
    expect(said).toContain("[server-file-in-browser]");
    expect(said).toContain("*.actions.server.ts");
  });

  it("a build is refused when a page imports its own server half for more than its types", async () => {
    expect(
      await buildOf({
        "src/pages/index.tsx": page("{limit}", 'import { limit } from "./index.server.ts";'),
        "src/pages/index.server.ts": "export const limit = 7;",
      }),
    ).toContain("src/pages/index.tsx → src/pages/index.server.ts");
  });

  it.each(["node:fs", "pg", "holdfast/server", ...inLongRuns("fs", "better-sqlite3", "react-dom/server")])(
    "a build is refused when a page reaches %s",
    async (name) => {
      const said = await buildOf({
        "src/pages/index.tsx": page("{typeof all}", 'import { all } from "../all.ts";'),
        "src/all.ts": `import * as all from "${name}"; export { all };`,
      });
      expect(said).toContain(
        `${name} works on the server alone, but the browser's code imports it: src/pages/index.tsx → src/all.ts → ${name}`,
      );
    },
  );

  it("a build is refused when a page reads a private variable, naming the line", async () => {
    const said = await buildOf({
      "src/pages/index.tsx": page("{key}", 'import { key } from "../key.ts";'),
      "src/key.ts": "\nexport const key = process.env.PAYMENT_KEY;",
    });
    expect(said).toContain("src/key.ts:2 uses process.env.PAYMENT_KEY");
    expect(said).toContain("src/pages/index.tsx → src/key.ts");
  });

  it("a build is refused when the value of a private variable is in a file for the browser, without printing the value", async () => {
    const value = "kq9-77aa-supplier";
    const said = await buildOf({
      ".env": `SUPPLIER_KEY=${value}\n`,
      // The classic: one helper, used by the loader for its key and by the page for its harmless half.
      "src/supplier.ts": `const key = "${value}"; export const call = (path: string) => path + key; export const label = (n: number) => call("x").length + n;`,
      "src/pages/index.tsx": page("{label(1)}", 'import { label } from "../supplier.ts";'),
      "src/pages/index.server.ts": 'import { call } from "../supplier.ts"; export const GET = () => call("/");',
    });
    expect(said).toMatch(
      /_assets\/index-[\w-]+\.js contains the value of SUPPLIER_KEY, by way of src\/pages\/index\.tsx → src\/supplier\.ts/,
    );
    expect(said).not.toContain(value);
  });

  it("a build is refused when something in public has the shape of a secret", async () => {
    const address = ["postgres://app", "pw93kd@db.example/orders"].join(":");
    const said = await buildOf({
      "src/pages/index.tsx": page("a"),
      "public/settings.json": JSON.stringify({ address }),
    });
    expect(said).toContain("settings.json contains an address with a password in it");
    expect(said).not.toContain("pw93kd");
  });

  it("a build is refused when an image is cut off, too large or runs scripts, with its name and the reason", async () => {
    const flat = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: "teal" } });
    const withImage = (name: string, content: string | Buffer) =>
      buildOf({
        [`src/${name}`]: content,
        "src/pages/index.tsx": page("{photo.src}", `import photo from "../${name}?image";`),
      });
    const jpeg = await flat(400, 300).jpeg().toBuffer();
    expect(await withImage("cut.jpg", jpeg.subarray(0, -200))).toMatch(
      /The image src\/cut\.jpg is cut off: its jpeg data is incomplete\..*\[wrong-image\]/,
    );
    // Its frame is whole, but not what the frame contains.
    const [head, tail] = [jpeg.subarray(0, -400), Buffer.from([0xff, 0xd9])];
    expect(await withImage("torn.jpg", Buffer.concat([head, tail]))).toContain("src/torn.jpg cannot be decoded:");
    expect(await withImage("wide.png", await flat(60_000, 2).png().toBuffer())).toContain(
      "src/wide.png is 60,000 × 2 pixels large; a side may have 16,383 (images.maxSide)",
    );
    expect(await withImage("large.png", await flat(9_000, 9_000).png().toBuffer())).toContain(
      "src/large.png is 9,000 × 9,000 pixels large; an image may have 64,000,000 (images.maxPixels)",
    );
    const script = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>';
    const said = await withImage("logo.svg", script);
    expect(said).toContain("src/logo.svg contains an element <script>");
    expect(said).not.toContain("or import it without");
  });

  it("a build is refused when literal links lead nowhere, naming each", async () => {
    const said = await buildOf({
      "src/pages/index.tsx": page('<a href="/about">a</a><a href="/abuot">b</a>\n<a href="/missing">c</a>'),
      "src/pages/about.tsx": page("about"),
    });
    expect(said).toContain(
      '2 links lead nowhere: src/pages/index.tsx:2 links to "/abuot", which no page answers; src/pages/index.tsx:3',
    );
  });

  it("a build is refused when a page is over its budget, with the excess", async () => {
    const files = (bytes: number) => ({
      "src/pages/index.tsx": page("a"),
      "src/pages/index.server.ts": `export const budget = { firstLoadBytes: ${bytes}, lcpMs: 2_500 };`,
    });
    expect(await buildOf(files(1_000))).toMatch(
      /a first load of \/ is (\d+) bytes, \d+ more than its 1000\..*\[budget-exceeded\]/,
    );
    expect(await buildOf(files(500_000))).toBe("");
  });
});

describe("a build succeeds", () => {
  it("a build succeeds without sharp: images are not scaled, and one line says so", async () => {
    const folder = application({
      "node_modules/sharp/index.js": 'throw new Error("no compiled part for this platform");',
      "src/a.jpg": await sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
        .jpeg()
        .toBuffer(),
      "src/b.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"></svg>',
      "src/pages/index.tsx": page(
        "{a.width} {b.src}",
        'import a from "../a.jpg?image"; import b from "../b.svg?image";',
      ),
    });
    const { code, log } = await runHoldfast(["build", folder]);
    expect(code).toBe(0);
    const line = "Images are not scaled, because sharp cannot be loaded (no compiled part for this platform): npm";
    expect(log.split(line)).toHaveLength(2);
    const files = globSync("dist/browser/_assets/[ab]-*.{jpg,svg,avif,webp}", { cwd: join(root, folder) });
    expect(files).toHaveLength(2);
  });

  it("a build succeeds when a page imports only types from its server half", async () => {
    const said = await buildOf({
      "src/pages/index.tsx": page("{(null as Order | null)?.id}", 'import type { Order } from "./index.server.ts";'),
      "src/pages/index.server.ts": "export interface Order { id: string }\nexport const secret = 1;",
    });
    expect(said).toBe("");
  });

  it("a build succeeds when a public variable is shown", async () => {
    expect(
      await buildOf({
        ".env": "PUBLIC_TITLE=The Orders Shop\n",
        "src/pages/index.tsx": page("{import.meta.env.PUBLIC_TITLE}"),
      }),
    ).toBe("");
  });

  it("a build has the variables of the files of production, as the server reads them", async () => {
    const folder = application({
      ".env": "PUBLIC_HEADING=from-the-general-file\nPUBLIC_MORE=from-the-file\n",
      ".env.production": "PUBLIC_HEADING=from-the-file\n",
      ".env.development": "PUBLIC_HEADING=from-another-file\n",
      "src/pages/index.tsx": page("{import.meta.env.PUBLIC_HEADING} {import.meta.env.PUBLIC_MORE}"),
    });
    expect((await runHoldfast(["build", folder])).code).toBe(0);
    const built = globSync("dist/**/*.js", { cwd: join(root, folder) }).map((file) =>
      readFileSync(join(root, folder, file), "utf8"),
    );
    expect(built.filter((code) => code.includes("from-the-file")).length).toBeGreaterThan(1);
    expect(built.filter((code) => /from-(?:another|the-general)-file/.test(code))).toEqual([]);
  });
});
