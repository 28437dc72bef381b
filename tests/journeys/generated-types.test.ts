import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { generateTypes } from "#build";
import { application } from "../kit/index.ts";
import { openEditor } from "./editor.ts";
import { manyRoutes, type Typing } from "./many-routes.ts";

const repository = resolve(import.meta.dirname, "../..");
const root = resolve(import.meta.dirname, "../fixtures/orders");
const tsc = resolve(import.meta.dirname, "../../node_modules/.bin/tsc");

describe("the generated types", () => {
  it("accept every correct use of a page and no wrong one", async () => {
    // Each wrong use in src/typed-links.tsx, src/typed-forms.tsx and src/typed-fields.tsx is marked @ts-expect-error,
    // which is itself an error if the compiler finds nothing wrong.
    expect(await readFile(resolve(root, "src/typed-links.tsx"), "utf8")).toContain("@ts-expect-error");
    await generateTypes({ root });
    const { stdout } = await promisify(execFile)(tsc, ["--noEmit", "-p", root]).catch((failed) => failed);
    expect(stdout).toBe("");
  });

  it("make the compiler name the existing pages, and the params that a page does not have", async () => {
    const folder = resolve(
      repository,
      application({
        "tsconfig.json":
          '{ "extends": "../../../../tsconfig.json", "include": [".holdfast/types", "src"], "exclude": [] }',
        "src/pages/index.tsx": "export default () => null;",
        "src/pages/orders/[id].tsx": "export default () => null;",
        "src/wrong.tsx": `import { href, Link, navigate } from "holdfast";
import { redirect } from "holdfast/server";
href("/order");
href("/", { page: 2 });
navigate("/nowhere");
export const link = <Link to="/nowhere" />;
export const leave = () => redirect("/nowhere");
`,
      }),
    );
    await generateTypes({ root: folder });
    const { stdout } = await promisify(execFile)(tsc, ["--noEmit", "-p", folder]).catch((failed) => failed);
    const said = String(stdout).trim().split("\n");
    expect(said).toHaveLength(5);
    for (const line of said.filter((one) => !one.includes("wrong.tsx(4"))) {
      expect(line).toContain(`'"/" | "/orders/[id]"'`);
      expect(line).not.toContain("never");
    }
    expect(said.find((one) => one.includes("wrong.tsx(4"))).toContain("this page has no parameters: write undefined");
  });

  it("know every attribute of a link, in an editor and in the compiler's messages", async () => {
    const links = `import { Link } from "holdfast";
export const links = [
  <Link key={1} to="/list" title="List" onClick={(event) => event.preventDefault()} data-nav="yes">List</Link>,
  <Link key={2} to="/list" search={{ page: 2 }} dialog />,
  <Link key={3} to="/list" search={{ page: 2 }} clasName="near" />,
  <Link key={4} to="/list" className={7} />,
  <Link key={5} to="/list" href="/other" />,
];
`;
    const folder = resolve(
      repository,
      application({
        "tsconfig.json":
          '{ "extends": "../../../../tsconfig.json", "include": [".holdfast/types", "src"], "exclude": [] }',
        "src/pages/list.tsx": "export default () => null;",
        "src/pages/list.server.ts":
          'import { z } from "zod";\nexport const search = z.object({ page: z.number().default(1) });\n',
        "src/links.tsx": links,
      }),
    );
    await generateTypes({ root: folder });
    const { stdout } = await promisify(execFile)(tsc, ["--noEmit", "-p", folder]).catch((failed) => failed);
    const said = String(stdout)
      .trim()
      .split("\n")
      .filter((line) => line.startsWith("src/") || line.includes("/src/"));
    expect(said.map((line) => /\((\d+),/.exec(line)?.[1])).toEqual(["5", "6", "7"]);
    expect(stdout).toContain("Property 'clasName' does not exist");
    expect(stdout).toContain("Did you mean 'className'?");
    expect(stdout).toContain("Property 'href' does not exist");
    const editor = await openEditor(folder, resolve(folder, "src/links.tsx"));
    try {
      const { labels } = await editor.complete("search={{ page: 2 }} ", "/>");
      expect(labels).toEqual(expect.arrayContaining(["className?", "hash?", "onClick?", "prefetch?", "title?"]));
      expect(labels).not.toContain("href?");
    } finally {
      editor.close();
    }
  });

  it("cost the compiler little more than the schemas of the pages", async () => {
    const instantiations = async (typing: Typing) => {
      const folder = resolve(repository, application(manyRoutes({ typing, count: 60 })));
      if (typing === "typed") await generateTypes({ root: folder });
      // A count, which is the same on every machine. More than one thread would make it depend on chance.
      const options = ["--noEmit", "--singleThreaded", "--extendedDiagnostics", "-p", folder];
      const { stdout } = await promisify(execFile)(tsc, options).catch((failed) => failed);
      expect(stdout).not.toContain("error TS");
      return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
    };
    // 1.73 as of now, with the names of objects and rows in forms. Types that are inferred again for each link were
    // 2.7: see docs/proofs/many-routes.md.
    expect((await instantiations("typed")) / (await instantiations("plain"))).toBeLessThan(1.75);
  });

  it("have the compiler read nothing of the error service but who may open its console", async () => {
    const page = {
      "tsconfig.json": '{ "extends": "../../../../tsconfig.json", "include": ["src"], "exclude": [] }',
      "src/config.ts":
        'import type { HoldfastConfig } from "holdfast/server";\nexport default {} satisfies HoldfastConfig;\n',
    };
    const options = ["--listFilesOnly", "-p", resolve(repository, application(page))];
    const { stdout } = await promisify(execFile)(tsc, options);
    const read = [...stdout.matchAll(/\/src\/((?:host|service)\/.*)\.ts$/gm)].map(([, file]) => file);
    expect(read.sort()).toEqual(["host/settings", "service/accounts/authorize"]);
  });

  it("a socket has the messages of its route", async () => {
    const folder = resolve(
      repository,
      application({
        "tsconfig.json":
          '{ "extends": "../../../../tsconfig.json", "include": [".holdfast/types", "src"], "exclude": [] }',
        "src/pages/plain.server.ts": 'export const GET = () => new Response("");',
        "src/pages/rooms/[id].server.ts": `import { onSocket } from "holdfast/server";
import { z } from "zod";
const at = z.object({ at: z.date() });
export const socket = onSocket({ receives: z.object({ text: z.string() }), sends: at }, ({ send }) => {
  send({ at: new Date() });
  // @ts-expect-error no date
  send({ at: "today" });
});
`,
        "src/uses.tsx": `import { useSocket } from "holdfast";
export function Uses() {
  const { send } = useSocket("/rooms/[id]", { params: { id: 7 }, onMessage: ({ at }) => at.getTime() });
  send({ text: "hello" });
  // @ts-expect-error no such field
  send({ words: "hello" });
  // @ts-expect-error no such field
  useSocket("/rooms/[id]", { params: { id: 7 }, onMessage: ({ text }) => text });
  // @ts-expect-error no such parameter
  useSocket("/rooms/[id]", { params: { room: 7 } });
  // @ts-expect-error a route without a socket
  useSocket("/plain");
}
`,
      }),
    );
    await generateTypes({ root: folder });
    const { stdout } = await promisify(execFile)(tsc, ["--noEmit", "-p", folder]).catch((failed) => failed);
    expect(stdout).toBe("");
  });

  it("name each page with its server half and its parameters", async () => {
    await generateTypes({ root });
    const text = await readFile(resolve(root, ".holdfast/types/routes.d.ts"), "utf8");
    expect(text).toContain('"/orders/[id]": typeof import("../../src/pages/orders/[id].server.js");');
    expect(text).toMatch(/apis: \{\n {6}"\/api\/export": typeof import/);
    expect(text).toContain('"/lines/[kind]/[line]": "kind" | "line";');
    expect(text).toMatch(/optionalParams: \{\n {6}"\/blog\/\[\[page\]\]": "page";/);
  });

  it("the generated types are the same below a path", async () => {
    const declared = async (at?: string) => {
      await generateTypes({ root, ...(at !== undefined && { at }) });
      return readFile(resolve(root, ".holdfast/types/routes.d.ts"), "utf8");
    };
    expect(await declared("/admin")).toBe(await declared());
  });
});
