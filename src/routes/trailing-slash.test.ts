import { expect, test } from "vitest";
import { canonicalPath } from "./canonical-path.ts";
import { canonicalSlashed } from "./canonical-slashed.ts";
import { pathOfAddress, spellAddress } from "./trailing-slash.ts";

test.each([
  ["/about", "/about/"],
  ["/about/", "/about/"],
  ["/", "/"],
  ["/orders/7?tab=1#top", "/orders/7/?tab=1#top"],
  ["/orders/?a=b/c", "/orders/?a=b/c"],
  ["/files/report.pdf", "/files/report.pdf"],
  ["/files/report.pdf/", "/files/report.pdf"],
  ["/v1.2/notes", "/v1.2/notes/"],
  ["/orders/_data", "/orders/_data"],
  ["/_holdfast/note", "/_holdfast/note"],
  ["https://other.example/about", "https://other.example/about"],
  ["//other.example/about", "//other.example/about"],
  ["#part", "#part"],
  ["?page=2", "?page=2"],
  ["", ""],
])("%s is spelled %s", (address, spelled) => {
  expect(spellAddress(address)).toBe(spelled);
  expect(spellAddress(spelled)).toBe(spelled);
});

test("a browser finds routes only for addresses in their one spelling", () => {
  expect(["/", "/about/", "/about", "/a.txt", "/a.txt/"].map(pathOfAddress)).toEqual(["/", "/about", "", "/a.txt", ""]);
});

test.each([
  ["/about/?x=1", { kind: "canonical", path: "/about", search: "?x=1", address: "/about/" }],
  ["/about", { kind: "canonical", path: "/about", search: "", address: "/about" }],
  ["/", { kind: "canonical", path: "/", search: "", address: "/" }],
  ["//about", { kind: "redirect", to: "/about/" }],
  ["/about//?x=1", { kind: "redirect", to: "/about/?x=1" }],
  ["/%61bout/", { kind: "redirect", to: "/about/" }],
  ["/about/_data/", { kind: "redirect", to: "/about/_data" }],
  ["/about/../", { kind: "bad", why: "dot-segment" }],
  ["/about%2f/", { kind: "bad", why: "encoded-separator" }],
])("%s is read as %j", (target, read) => {
  expect(canonicalSlashed(target)).toMatchObject(read);
});

test("a slash at the end never makes a bad address good, over spellings of all kinds", () => {
  const pieces = ["a", "/", "//", ".", "..", "%2f", "%252f", "%00", "\\", "é", "%61", "_data", "?", "#"];
  let bad = 0;
  for (const first of pieces)
    for (const second of pieces)
      for (const third of pieces) {
        const target = `/${first}${second}${third}`;
        if (canonicalPath(target).kind !== "bad") continue;
        bad += 1;
        expect(canonicalSlashed(target).kind, target).toBe("bad");
      }
  expect(bad).toBeGreaterThan(500);
});
