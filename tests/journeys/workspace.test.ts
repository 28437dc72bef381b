import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { openBrowser } from "../kit/browser.ts";
import { inLongRuns, runHoldfast, writeFiles } from "../kit/index.ts";

/** An npm workspace: an application, and a package of TypeScript sources without a build. */
const folder = join(root, "tests/.tmp/workspace");
const shop = join(folder, "shop");

const prices = (currency: string): string => `export enum Currency { Own = ${JSON.stringify(currency)} }

export function priceOf(product: string): string {
  if (product === "broken") {
    throw new Error("A price without a product.");
  }
  return \`\${product.length} \${Currency.Own}\`;
}
`;
const tag = (word: string): string => `import { useState } from "react";

export function Tag({ price }: { price: string }) {
  const [count, setCount] = useState(0);
  return <button type="button" onClick={() => setCount(count + 1)}>{price} ${word} {count}</button>;
}
`;

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  writeFiles(folder, {
    "package.json": '{ "name": "all", "private": true, "workspaces": ["shop", "prices"] }\n',
    "prices/package.json":
      '{ "name": "@shop/prices", "type": "module", "exports": { ".": "./src/index.ts", "./tag": "./src/tag.tsx" } }\n',
    "prices/src/index.ts": prices("EUR"),
    "prices/src/tag.tsx": tag("times"),
    "shop/package.json":
      '{ "name": "shop", "type": "module", "imports": { "#lib/*": "./src/lib/*.ts", "#server/*": "./src/server/*.ts" } }\n',
    "shop/tsconfig.json": `{
  // With a comment, as people write it.
  "compilerOptions": { "module": "nodenext", "jsx": "react-jsx", "paths": { "@/*": ["./src/*"], "~words": ["./src/lib/words.ts"] } },
}
`,
    "shop/src/lib/words.ts": 'export const welcome = { text: "Welcome" };\n',
    "shop/src/server/stock.ts": 'export const stock = (): string[] => ["apple"];\n',
    "shop/src/pages/index.tsx": `import { Tag } from "@shop/prices/tag";
import { welcome } from "#lib/words";
import { welcome as byPath } from "@/lib/words.ts";
import { welcome as byName } from "~words";
export default function Home({ data }: PageProps<"/">) {
  const isOne = welcome === byPath && welcome === byName && data.isOne;
  return <main><h1>{welcome.text}</h1><p>{isOne ? "one module" : "several modules"}</p>{data.prices.map((price: string) => <Tag key={0} price={price} />)}</main>;
}
`,
    "shop/src/pages/index.server.ts": `import { priceOf } from "@shop/prices";
import { load } from "holdfast/server";
import { stock } from "#server/stock";
import { stock as byPath } from "@/server/stock.ts";
export const data = load("/", ({ url }) => ({
  prices: (url.search === "?broken" ? ["broken"] : stock()).map(priceOf),
  isOne: stock === byPath,
}));
`,
    "shop/look.js": `import { setTimeout as wait } from "node:timers/promises";
import { openApplication } from "holdfast/mount";
import { consoleApi } from "holdfast/service";
const holdfast = await openApplication({ dataFolder: "../.holdfast-built" });
const ask = (path) => holdfast.fetch(new Request("http://localhost" + path, { headers: { accept: "text/html" } }));
const page = await (await ask("/")).text();
const digest = (await ask("/?broken")).headers.get("x-digest");
let found;
while (!(found = await consoleApi().event(1, digest))) await wait(20);
console.log(JSON.stringify({ page, frame: found.event.body.event.exceptions[0].frames.at(-1) }));
await holdfast.close();
`,
  });
  mkdirSync(join(folder, "node_modules/@shop"), { recursive: true });
  symlinkSync(join(folder, "prices"), join(folder, "node_modules/@shop/prices"));
  symlinkSync(root, join(folder, "node_modules/holdfast"));
});

/** Starts `holdfast dev` as a developer does. */
async function developed(): Promise<{ url: string; said: () => string }> {
  const command = [join(root, "bin/holdfast.js"), "dev", shop, "--port", "0", "--host", "127.0.0.1"];
  const env = { ...process.env, HOLDFAST_DATA: join(folder, ".holdfast-dev"), NODE_ENV: "" };
  const child = spawn(process.execPath, command, { env });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await gone;
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
  const url = (): string | undefined => /Pages\s+(http\S+)\//.exec(text)?.[1];
  await expect.poll(url, { timeout: 30_000 }).toBeDefined();
  return { url: url() ?? "", said: () => text };
}

describe("short imports and a package of the workspace", () => {
  test("short imports are resolved by the build", async () => {
    expect(await runHoldfast(["build", shop])).toMatchObject({ code: 0 });
    // In a process of its own: the test runner maps stacks by itself.
    const child = spawn(process.execPath, ["look.js"], { cwd: shop, stdio: ["ignore", "pipe", "inherit"] });
    const { page, frame } = (await json(child.stdout)) as { page: string; frame: unknown };
    for (const text of ["<h1>Welcome</h1>", "one module", "5 EUR"]) expect(page).toContain(text);
    expect(frame).toMatchObject({
      filename: "prices/src/index.ts",
      line: 5,
      inApp: true,
      function: "priceOf",
      contextLine: '    throw new Error("A price without a product.");',
    });
  });

  test.each(["@/server/stock.ts", ...inLongRuns("#server/stock")])(
    "short imports are refused where a page reaches server code by them: %s",
    async (name) => {
      const leak = join(shop, "src/pages/leak.tsx");
      onTestFinished(() => rmSync(leak));
      writeFileSync(leak, `import { stock } from "${name}";\nexport default () => <h1>{stock()}</h1>;\n`);
      const { code, log } = await runHoldfast(["build", shop]);
      expect(code).toBe(1);
      expect(log).toContain("src/server/stock.ts");
      expect(log).toContain("src/pages/leak.tsx");
    },
  );

  test("short imports are resolved in development, and a change of the other package reaches the open page", async () => {
    const { url, said } = await developed();
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText("one module").waitFor();
    await page.locator("html[data-holdfast=alive]").waitFor();
    const button = page.getByRole("button");
    await button.click();
    await expect.poll(() => button.textContent()).toBe("5 EUR times 1");
    writeFileSync(join(folder, "prices/src/tag.tsx"), tag("pieces"));
    await expect.poll(() => button.textContent()).toBe("5 EUR pieces 1");
    writeFileSync(join(folder, "prices/src/index.ts"), prices("CHF"));
    await expect.poll(() => button.textContent()).toBe("5 CHF pieces 1");

    await fetch(`${url}/?broken`, { headers: { accept: "text/html" } });
    await expect.poll(said).toContain("  ../prices/src/index.ts:5:11\n");
    expect(said()).toContain('  5 | throw new Error("A price without a product.");');
  });
});
