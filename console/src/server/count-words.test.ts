import { expect, it } from "vitest";
import { countsInWords } from "./count-words.ts";

it("counts are plain words, most frequent first", () => {
  expect(countsInWords("navigations", { "handed-over": 2, "committed push": 12_400, committed: 1 })).toBe(
    "by link\u00a012 k, loaded in full\u00a02, shown\u00a01",
  );
  expect(countsInWords("prefetches", { "suppressed-rate": 3, fresh: 7 })).toBe(
    "used\u00a07, left out, too many at once\u00a03",
  );
  expect(countsInWords("fullLoads", { "build-mismatch": 1 })).toBe("new build\u00a01");
  expect(countsInWords("fullLoads", {})).toBe("–");
  expect(countsInWords("bypasses", { cookies: 2, "status 404": 1 })).toBe("reads cookies\u00a02, status 404\u00a01");
});

it("a reason of another client is explained, and an unknown label stays as it is", () => {
  expect(countsInWords("navigations", { "handed-over timeout-data": 1 })).toBe(
    "loaded in full (data took too long)\u00a01",
  );
  expect(countsInWords("navigations", { toString: 1, "constructor of": 1 })).toBe(
    "toString\u00a01, constructor of\u00a01",
  );
});
