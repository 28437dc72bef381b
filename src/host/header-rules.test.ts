import { describe, expect, test } from "vitest";
import { changedDefaults, createHeaderRules, problemsOfHeaders } from "./header-rules.ts";

describe("a pattern", () => {
  test.each([
    ["/**", ["/", "/a", "/a/b"], []],
    ["/", ["/"], ["/a"]],
    ["/embed", ["/embed"], ["/embed/a", "/embedded", "/"]],
    ["/embed/**", ["/embed", "/embed/a", "/embed/a/b"], ["/embedded", "/", "/x/embed"]],
    ["/shops/*", ["/shops/7", "/shops/a.b"], ["/shops", "/shops/7/map"]],
    ["/shops/*/map", ["/shops/7/map"], ["/shops/map", "/shops/7/8/map"]],
    ["/fonts/*.woff2", ["/fonts/a.woff2"], ["/fonts/awoff2", "/fonts/a.woff", "/fonts/b/a.woff2"]],
    ["/a+b/(c)/$", ["/a+b/(c)/$"], ["/aab/c/"]],
  ])("%s is for %j and not for %j", (path, yes, no) => {
    const headersFor = createHeaderRules({ [path]: { "X-A": "1" } }, "pages");
    expect(yes.filter((one) => headersFor?.(one) === undefined)).toEqual([]);
    expect(no.filter((one) => headersFor?.(one) !== undefined)).toEqual([]);
  });

  test("the later of two patterns wins, name by name", () => {
    const headersFor = createHeaderRules({ "/**": { "X-A": "1", "X-B": "1" }, "/x/**": { "x-a": false } }, "pages");
    expect([...(headersFor?.("/x")?.values() ?? [])]).toEqual([
      { name: "x-a", value: undefined },
      { name: "X-B", value: "1" },
    ]);
  });

  test("the last pattern about frames decides, by either header", () => {
    const onlyPartner = { "Content-Security-Policy": "frame-ancestors https://partner.example" };
    const headersFor = createHeaderRules(
      { "/**": { "X-Frame-Options": "DENY" }, "/a/**": onlyPartner, "/a/b": { "X-Frame-Options": "SAMEORIGIN" } },
      "pages",
    );
    const setAt = (path: string) =>
      [...(headersFor?.(path)?.values() ?? [])].filter(({ value }) => value !== undefined);
    expect(setAt("/")).toEqual([{ name: "X-Frame-Options", value: "DENY" }]);
    expect(setAt("/a")).toEqual([
      { name: "Content-Security-Policy", value: "frame-ancestors https://partner.example" },
    ]);
    expect(setAt("/a/b")).toEqual([{ name: "X-Frame-Options", value: "SAMEORIGIN" }]);
  });

  test("with Cache-Control is for files only", () => {
    const settings = { "/**": { "Cache-Control": "public, max-age=60" } };
    expect(createHeaderRules(settings, "pages")).toBeUndefined();
    expect(createHeaderRules(settings, "files")?.("/logo.svg")?.get("cache-control")?.value).toBe("public, max-age=60");
  });
});

describe("settings", () => {
  test("right settings have no problems", () => {
    const right = {
      "/**": { "Permissions-Policy": "geolocation=(self)", "Referrer-Policy": false },
      "/fonts/*.woff2": { "cache-control": "public, max-age=86400", "Cross-Origin-Resource-Policy": "cross-origin" },
      "/embed": { "Content-Security-Policy": "frame-ancestors 'self' https://*.partner.example:8443" },
    };
    expect(problemsOfHeaders(right)).toEqual([]);
  });

  test.each(["", "embed", "/a?b", "/a#b", "/a\\b", "/a b", "/caf\u00e9", "/**/a", "/a**", "/*a*", "//"])(
    "the pattern %j is refused",
    (path) => {
      expect(problemsOfHeaders({ [path]: { "X-A": "1" } })).toEqual([expect.stringContaining("is no pattern")]);
    },
  );

  test.each<[string, unknown, string]>([
    ["Set-Cookie", "a=1", "is written by the framework itself. Use `cookies.set`"],
    ["Content-Security-Policy", "x", "is written by the framework itself. Only `frame-ancestors …` can be set"],
    ["Content-Security-Policy", "frame-ancestors *; script-src *", "is written by the framework itself"],
    ["Content-Security-Policy", "frame-ancestors", "is written by the framework itself"],
    ["Content-Security-Policy", false, "is written by the framework itself"],
    ["Access-Control-Allow-Origin", "*", "is written by the framework itself"],
    ["X A", "1", "is not the name of a header"],
    ["X-A", "1\r\nX-B: 2", "must be false, or a text"],
    ["X-A", "", "must be false, or a text"],
    ["X-A", true, "must be false, or a text"],
    ["Cache-Control", "a\nb", "must be false, or a text"],
  ])("the header %s: %j is refused", (name, value, why) => {
    const [problem] = problemsOfHeaders({ "/**": { [name]: value } });
    expect(problem).toContain(`headers["/**"][${JSON.stringify(name)}] ${why}`);
  });

  test.each([7, null, [], { "/**": 7 }, { "/**": ["X-A"] }])("%j are refused", (settings) => {
    expect(problemsOfHeaders(settings)).toEqual([expect.stringContaining("headers must list headers by path")]);
  });

  test("name each default that they change, and nothing else", () => {
    const settings = {
      "/**": { "Referrer-Policy": "no-referrer", "X-A": "1", "X-Frame-Options": "SAMEORIGIN" },
      "/embed/**": { "x-frame-options": false, "Cross-Origin-Embedder-Policy": "require-corp" },
      "/partner": { "Content-Security-Policy": "frame-ancestors https://partner.example" },
    } as const;
    expect(changedDefaults(settings)).toEqual([
      "/**: Referrer-Policy is no-referrer, by default strict-origin-when-cross-origin",
      "/embed/**: x-frame-options is removed, by default SAMEORIGIN",
      "/embed/**: Cross-Origin-Embedder-Policy is require-corp, by default unsafe-none",
      "/partner: Content-Security-Policy is frame-ancestors https://partner.example, by default frame-ancestors 'self'",
    ]);
  });
});
