import { describe, expect, it } from "vitest";
import { compareReleases } from "./compare-releases.ts";

describe("the order of releases", () => {
  it.each([
    ["1.9.0", "1.10.0"],
    ["shop@1.9.9", "shop@2.0.0"],
    ["2.0.0-beta.2", "2.0.0-beta.10"],
    ["2.0.0-rc.1", "2.0.0"],
    ["v1.2", "v1.2.1"],
  ])("%s comes before %s, as versions", (earlier, later) => {
    expect(compareReleases(earlier, later, () => undefined)).toBeLessThan(0);
    expect(compareReleases(later, earlier, () => undefined)).toBeGreaterThan(0);
  });

  it("build hashes are ordered by when they were first seen", () => {
    const seen = new Map([
      ["9fceb02", 1],
      ["0ae598e", 2],
    ]);
    expect(compareReleases("9fceb02", "0ae598e", (release) => seen.get(release))).toBeLessThan(0);
    expect(compareReleases("0ae598e", "never seen", (release) => seen.get(release))).toBeLessThan(0);
  });
});
