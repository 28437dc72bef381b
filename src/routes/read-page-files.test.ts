import { describe, expect, it } from "vitest";
import { problemOfExtensions } from "./page-extensions.ts";
import { readPageFiles } from "./read-page-files.ts";

const idsOf = (...files: string[]) => readPageFiles(files).routes.map((route) => route.id);

describe("the names of page files", () => {
  it("become addresses, index for the folder itself", () => {
    expect(idsOf("index.tsx", "orders/index.tsx", "orders/[id].tsx", "docs/[...rest].tsx", "about.jsx")).toEqual([
      "/",
      "/about",
      "/docs/[...rest]",
      "/orders",
      "/orders/[id]",
    ]);
  });

  it("put the most specific route first, whatever order the files come in", () => {
    const files = [
      "[...all].tsx",
      "[shop]/new.tsx",
      "orders/[id].tsx",
      "orders/new.tsx",
      "orders/[...rest].tsx",
      "orders/[[page]].tsx",
      "orders/[id=slug].tsx",
      "orders/[id=integer].tsx",
      "[shop]/[id].tsx",
    ];
    const wanted = [
      "/orders/new",
      "/orders/[id=integer]",
      "/orders/[id=slug]",
      "/orders/[id]",
      "/orders/[[page]]",
      "/orders/[...rest]",
      "/[shop]/new",
      "/[shop]/[id]",
      "/[...all]",
    ];
    expect(idsOf(...files)).toEqual(wanted);
    expect(idsOf(...files.toReversed())).toEqual(wanted);
  });

  it("join a page with the server file beside it", () => {
    expect(readPageFiles(["orders/[id].server.ts", "orders/[id].tsx"]).routes).toEqual([
      {
        id: "/orders/[id]",
        kind: "page",
        segments: [
          { kind: "static", text: "orders" },
          { kind: "param", name: "id" },
        ],
        folders: [0],
        page: "orders/[id].tsx",
        server: "orders/[id].server.ts",
      },
    ]);
  });

  it("make a server file without a page an API route", () => {
    expect(readPageFiles(["sitemap.xml.server.ts"]).routes).toEqual([
      {
        id: "/sitemap.xml",
        kind: "api",
        segments: [{ kind: "static", text: "sitemap.xml" }],
        folders: [0],
        server: "sitemap.xml.server.ts",
      },
    ]);
  });

  it("leave groups out of the address but keep their layouts", () => {
    const table = readPageFiles([
      "(shop)/_layout.tsx",
      "(shop)/orders/_error.tsx",
      "(shop)/orders/[id].tsx",
      "_layout.tsx",
      "index.tsx",
    ]);
    expect(table.folders).toEqual([
      { id: "/", layout: "_layout.tsx" },
      { id: "/(shop)", layout: "(shop)/_layout.tsx" },
      { id: "/(shop)/orders", error: "(shop)/orders/_error.tsx" },
    ]);
    expect(table.routes.map(({ id, folders }) => [id, folders])).toEqual([
      ["/", [0]],
      ["/orders/[id]", [0, 1, 2]],
    ]);
  });

  it("include every special file", () => {
    const files = ["a/_layout.tsx", "a/_layout.server.ts", "a/_error.tsx", "a/_not-found.tsx", "a/_loading.tsx"];
    expect(readPageFiles(files).folders).toEqual([
      { id: "/" },
      { id: "/a", layout: files[0], server: files[1], error: files[2], notFound: files[3], loading: files[4] },
    ]);
  });

  it("pass over styles, tests, helpers and folders that begin with an underscore", () => {
    expect(
      idsOf(
        "index.tsx",
        "index.css",
        "index.module.css",
        "index.test.tsx",
        "x.server.test.ts",
        "format.ts",
        "env.d.ts",
        "_parts/button.tsx",
      ),
    ).toEqual(["/"]);
  });
});

describe("invalid names", () => {
  it.each([
    [
      ["orders/new.tsx", "orders/new/index.tsx"],
      /Both src\/pages\/orders\/new\.tsx and src\/pages\/orders\/new\/index\.tsx answer \/orders\/new\. .*\[two-files-for-one-path\]/,
    ],
    [["a/[id].tsx", "a/[name].tsx"], /Both src\/pages\/a\/\[id\]\.tsx and src\/pages\/a\/\[name\]\.tsx answer/],
    [["(a)/x.tsx", "(b)/x.tsx"], /Both src\/pages\/\(a\)\/x\.tsx and src\/pages\/\(b\)\/x\.tsx answer \/x/],
    [["x.tsx", "x/index.server.ts"], /Both src\/pages\/x\.tsx and src\/pages\/x\/index\.server\.ts answer \/x/],
    [["x.tsx", "x.jsx"], /Both src\/pages\/x\.jsx and src\/pages\/x\.tsx answer \/x/],
    [["x/_error.tsx", "x/_error.jsx"], /Both .* are the _error of the same folder/],
    [["_eror.tsx"], /_eror\.tsx begins with "_" but is none/],
    [["_error.server.ts"], /\[unknown-special-file\]/],
    [["[].tsx"], /\[misspelled-page-name\]/],
    [["[[...rest]].tsx"], /the part "\[\[\.\.\.rest\]\]"/],
    [["blog/[[page]].tsx", "blog/index.tsx"], /Both .*\[\[page\]\]\.tsx and .*index\.tsx answer \/blog\./],
    [["blog/[[page]].tsx", "blog.tsx"], /Both .*blog\.tsx and .*\[\[page\]\]\.tsx answer \/blog\./],
    [["[[lang]]/index.tsx", "index.server.ts"], /Both .* answer \/\. .*\[two-files-for-one-path\]/],
    [["[[lang]]/about.tsx", "about.tsx"], /answer \/about\./],
    [["[[lang]]/[page].tsx", "[id].tsx"], /answer \/\[\w+\]\./],
    [["a/[[id]].tsx", "a/[[name]].tsx"], /\[two-files-for-one-path\]/],
    [["[...rest=integer].tsx"], /\[misspelled-page-name\]/],
    [["[id=].tsx"], /the part "\[id=\]"/],
    [["[id=an-id].tsx"], /\[misspelled-page-name\]/],
    [["[[id=a].tsx"], /\[misspelled-page-name\]/],
    [["a/[id=integer].tsx", "a/[nr=integer].tsx"], /answer \/a\/\[nr=integer\]\./],
    [["[[a]]/x/[[b]].tsx"], /has two optional parameters.*\[two-optional-parameters\]/],
    [["[[a]]/[...rest].tsx"], /\[optional-before-rest\]/],
    [["[[lang]]/[...rest]/x.tsx"], /\[optional-before-rest\]/],
    [["[[id]]/x/[id].tsx"], /names the parameter "id" twice/],
    [["order-[id].tsx"], /the part "order-\[id\]"/],
    [["[__proto__].tsx"], /\[misspelled-page-name\]/],
    [["(shop).tsx"], /the part "\(shop\)"/],
    [["50%.tsx"], /the part "50%"/],
    [["[...rest]/edit.tsx"], /\[rest-not-last\]/],
    [["[id]/x/[id].tsx"], /names the parameter "id" twice/],
  ])("%j are refused", (files, message) => {
    expect(() => readPageFiles(files)).toThrow(message);
  });
});

it("files with further extensions are pages, if the application names them", () => {
  const files = ["index.tsx", "terms.mdx", "terms.server.ts", "notes.md"];
  expect(readPageFiles(files).routes.map(({ id, page }) => [id, page])).toEqual([
    ["/", "index.tsx"],
    ["/terms", undefined],
  ]);
  expect(readPageFiles(files, "", ["mdx", "md"]).routes.map(({ id, page }) => [id, page])).toEqual([
    ["/", "index.tsx"],
    ["/notes", "notes.md"],
    ["/terms", "terms.mdx"],
  ]);
  expect(problemOfExtensions(["mdx", "md"])).toBeUndefined();
  for (const wrong of ["mdx", [".mdx"], ["ts"], ["css"], [7]])
    expect(problemOfExtensions(wrong)).toContain("must be a list of extensions");
});
