import { describe, expect, it } from "vitest";
import { readPageFiles } from "#routes";
import { createAnswers, findLinks } from "./check-links.ts";

describe("the links in a file", () => {
  it("the links in a file are those with a literal target", () => {
    const code = `import { Link as Go, href, navigate } from "holdfast";
import { redirect } from "holdfast/server";
export default () => <>
  <Go to="/a">a</Go>
  <a href={"/b"}>b</a>
  <a href={\`/c\`}>c</a>
  <a href={made}>made</a>
  <a href="/elsewhere" data-hard>other server</a>
  <button onClick={() => navigate("/d")}>{href("/e")}</button>
</>;
export const leave = () => redirect("/f");`;
    expect(findLinks("page.tsx", code)).toEqual([
      { target: "/a", soft: true, line: 4 },
      { target: "/b", soft: false, line: 5 },
      { target: "/c", soft: false, line: 6 },
      { target: "/d", soft: true, line: 9 },
      { target: "/e", soft: true, line: 9 },
      { target: "/f", soft: false, line: 11 },
    ]);
  });

  it("the links in a file are not those of other packages with the same names", () => {
    expect(
      findLinks(
        "page.tsx",
        'import { Link, redirect } from "other"; redirect("/x"); export default () => <Link to="/y" />;',
      ),
    ).toEqual([]);
  });
});

describe("a literal link", () => {
  const table = readPageFiles(["index.tsx", "orders/[id].tsx", "api/export.server.ts"]);
  const answers = createAnswers(table, (path) => path === "/logo.svg", ["/shop"]);
  const hard = (target: string) => answers({ target, soft: false, line: 1 });
  const soft = (target: string) => answers({ target, soft: true, line: 1 });

  it.each([
    "/",
    "/orders/[id]",
    "/orders/7?tab=items#top",
    "/orders/7/",
    "https://other.example/",
    "//cdn.example/x",
    "#top",
    "orders",
    "",
  ])("a literal link to %j is valid", (target) => {
    expect([hard(target), soft(target)]).toEqual([null, null]);
  });

  it.each(["/order", "/orders", "/orders/[order]", "/orders/7/items", "/a/../b"])(
    "a literal link to %j is broken",
    (target) => {
      expect(hard(target)).toBe(`links to "${target}", which no page answers`);
      expect(soft(target)).toBe(`links to "${target}", which no page answers`);
    },
  );

  it("a literal link to an API route must be a plain link", () => {
    expect(hard("/api/export")).toBeNull();
    expect(soft("/api/export")).toMatch(/an API route/);
  });

  it.each(["/logo.svg", "/healthz", "/shop", "/shop/socks"])(
    "a literal link to %s, which is no page, must be a plain link",
    (target) => {
      expect(hard(target)).toBeNull();
      expect(soft(target)).toMatch(/no page answers/);
    },
  );
});
