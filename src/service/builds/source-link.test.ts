import { expect, test } from "vitest";
import { problemOfSourceLink, sourceLinkOf } from "./source-link.ts";

const template = "https://git.example/shop/blob/{commit}/{file}#L{line}";
const place = { commit: "abc", file: "src/pages/cart.tsx", line: 7 };

test("a link leads to the line of the file at the commit", () => {
  expect(sourceLinkOf(template, place)).toBe("https://git.example/shop/blob/abc/src/pages/cart.tsx#L7");
  expect(sourceLinkOf(template, { ...place, line: undefined })).toContain("#L1");
});

test("values stay in their place, whatever they contain", () => {
  const link = (file: string, commit = "abc") => sourceLinkOf(template, { commit, file, line: 7 });
  expect(link('src/[id]/a b"?#.tsx')).toBe("https://git.example/shop/blob/abc/src/%5Bid%5D/a%20b%22%3F%23.tsx#L7");
  expect(link("a.ts", "1.0/../../x?y#z")).toBe("https://git.example/shop/blob/1.0%2F..%2F..%2Fx%3Fy%23z/a.ts#L7");
  expect(link("{line}/a.ts")).toBe("https://git.example/shop/blob/abc/%7Bline%7D/a.ts#L7");
  for (const file of [
    "",
    "../secret",
    "src/../../x.ts",
    "node_modules/react/index.js",
    "https://evil.example/x.js",
    "node:fs",
  ])
    expect(link(file), file).toBeUndefined();
});

test("a template that is not https, has no file or fills in the host is refused", () => {
  expect(problemOfSourceLink(template)).toBeUndefined();
  for (const wrong of [
    "http://git.example/{file}",
    "javascript:alert(1)//{file}",
    "https://{commit}.example/{file}",
    "https://user@git.example/{file}",
    "https://git.example/{commit}",
    `https://git.example/{file}${"x".repeat(500)}`,
  ])
    expect([problemOfSourceLink(wrong), sourceLinkOf(wrong, place)], wrong).toEqual([expect.any(String), undefined]);
});
