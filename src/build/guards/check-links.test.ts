import { describe, expect, it } from "vitest";
import { addressBelow, readAddressRules, readLanguages, readPageFiles } from "#routes";
import { targetAddress } from "#routes/href";
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
      { target: "/a", by: "link", line: 4 },
      { target: "/b", by: "anchor", line: 5 },
      { target: "/c", by: "anchor", line: 6 },
      { target: "/d", by: "link", line: 9 },
      { target: "/e", by: "href", line: 9 },
      { target: "/f", by: "redirect", line: 11 },
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

const beside = {
  isPublicFile: (path: string) => path === "/logo.svg",
  elsewhere: ["/shop"],
  rules: readAddressRules([{ from: "/moved/[id]", to: "/orders/[id]" }], []).rules,
};

describe("a literal link", () => {
  const table = readPageFiles(["index.tsx", "orders/[id].tsx", "api/export.server.ts"]);
  const answers = createAnswers(table, beside);
  const hard = (target: string) => answers({ target, by: "anchor", line: 1 });
  const soft = (target: string) => answers({ target, by: "link", line: 1 });
  const address = (target: string) => answers({ target, by: "href", line: 1 });

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
    expect([hard(target), soft(target), address(target)]).toEqual([null, null, null]);
  });

  it.each(["/order", "/orders", "/orders/[order]", "/orders/7/items", "/a/../b"])(
    "a literal link to %j is broken",
    (target) => {
      expect(hard(target)).toBe(`links to "${target}", which no page answers`);
      expect(soft(target)).toBe(`links to "${target}", which no page answers`);
      expect(address(target)).toBe(`links to "${target}", which no page answers`);
    },
  );

  it("a literal link to an API route must be a plain link", () => {
    expect(hard("/api/export")).toBeNull();
    expect(soft("/api/export")).toMatch(/an API route/);
    expect(address("/api/export")).toBeNull();
  });

  it.each(["/logo.svg", "/healthz", "/shop", "/shop/socks", "/moved/7"])(
    "a literal link to %s, which is no page, must be a plain link",
    (target) => {
      expect(hard(target)).toBeNull();
      expect(soft(target)).toMatch(/no page answers/);
      expect(address(target)).toMatch(/no page answers/);
    },
  );
});

describe("a literal link of an application below a path", () => {
  const table = readPageFiles(["index.tsx", "orders/[id].tsx", "api/export.server.ts"], "/admin");
  const answers = createAnswers(table, beside);
  const isBroken = (by: "link" | "href" | "redirect" | "anchor") => (target: string) =>
    answers({ target, by, line: 1 }) !== null;

  it("a literal link is a path of the application where the framework writes the address", () => {
    for (const by of ["link", "href", "redirect"] as const) {
      expect(["/", "/orders/7", "/orders/[id]", "/admin/orders/7"].filter(isBroken(by)), by).toEqual([]);
      expect(
        ["/order", "/logo.svg", "/shop", "/admin/order"].filter((target) => !isBroken(by)(target)),
        by,
      ).toEqual([]);
    }
  });

  it("a literal link is an address of the host where the browser reads it", () => {
    const broken = ["/", "/orders/7", "/admin", "/admin/orders/7", "/logo.svg", "/shop"].filter(isBroken("anchor"));
    expect(broken).toEqual(["/", "/orders/7"]);
  });
});

it("a literal link may name a language of the application, and no other", () => {
  const languages = readLanguages({ list: ["en", "de"] }).languages?.table;
  const answers = createAnswers(readPageFiles(["index.tsx", "about.tsx"]), { ...beside, languages });
  for (const target of ["/de/about", "/de", "/about"]) expect(answers({ target, by: "anchor", line: 1 })).toBeNull();
  for (const target of ["/fr/about", "/de/nowhere"])
    expect(answers({ target, by: "anchor", line: 1 })).toContain(target);
});

describe("a plain link of an application below a path", () => {
  const table = readPageFiles(["index.tsx", "orders/[id].tsx"], "/admin");
  const answers = createAnswers(table, beside);
  const hard = (target: string) => answers({ target, by: "anchor", line: 1 });

  it.each(["/orders/7", "/orders/7?x=1#y", "/?x=1"])(
    "a plain link to %j says which link to its page is right",
    (target) => {
      const [, advised = ""] = /write <Link to="([^"]+)">$/.exec(hard(target) ?? "") ?? [];
      expect(hard(target)).toContain(`links to "${target}" of the host, but the page is below /admin`);
      // What <Link> makes of it.
      expect(addressBelow("/admin", targetAddress(advised))).toBe(`/admin${target.replace(/^\/\?/, "?")}`);
      expect(answers({ target: advised, by: "link", line: 1 })).toBeNull();
    },
  );

  it("a plain link to an address of the host is right, and one that no page answers is not", () => {
    expect(hard("/admin/orders/7")).toBeNull();
    expect(hard("/missing")).toBe('links to "/missing", which no page answers');
  });
});
