import { describe, expect, it } from "vitest";
import { historyValuesChars, withValue } from "./history-values.ts";

describe("withValue", () => {
  it("keeps the other values", () => {
    expect(withValue({ tab: '"a"' }, "open", [1, 2])).toEqual({ tab: '"a"', open: "[1,2]" });
    expect(withValue({ tab: '"a"' }, "tab", null)).toEqual({ tab: "null" });
  });

  it("takes what fits and refuses one character more, with all values of the entry counted", () => {
    // The key, the quotation marks and the other value count too.
    const room = historyValuesChars - "text".length - 2 - "tab".length - "1".length;
    expect(withValue({ tab: "1" }, "text", "x".repeat(room)).text).toHaveLength(room + 2);
    expect(() => withValue({ tab: "1" }, "text", "x".repeat(room + 1))).toThrow(/8193 characters.*at most 8192/);
  });

  it("refuses what is not JSON", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    for (const value of [undefined, () => 1, 1n, circle])
      expect(() => withValue({}, "tab", value)).toThrow(/useHistoryState\("tab"\)/);
  });
});
