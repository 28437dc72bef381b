import { describe, expect, it } from "vitest";
import { compileExpression } from "./expressions.ts";
import { problemOfScrubRule, scrubByRules } from "./scrub-rules.ts";

describe("an expression", () => {
  const replaced = (expression: string, text: string): string => {
    const compiled = compileExpression(expression);
    return compiled.kind === "compiled" ? compiled.replace(text, "#") : compiled.why;
  };

  it.each([
    ["KD-\\d{6}", "order KD-123456, KD-12 and KD-999999!", "order #, KD-12 and #!"],
    ["[A-Z]{2}\\d+", "a DE89370400440532013000 b DE b AT61", "a # b DE b #"],
    ["[A-Z]{2}\\d*X", "DE1DE22X", "DE1#"],
    ["id=[^&]+", "?id=abc&x=1&id=7", "?#&x=1&#"],
    ["colou?r", "color colour", "# #"],
    ["a.*z\\d", "1 a-z1 a-z2 2", "1 # 2"],
    ["\\(\\d\\)\\.", "(1). (a).", "#  (a).".replace("  ", " ")],
    ["aaa", "aaaaaaa", "##a"],
    ["ab{1,2}c", "abc abbc abbbc", "# # abbbc"],
    ["überw.sung", "eine überweisung", "eine überweisung"],
  ])("%s in %s", (expression, text, expected) => {
    expect(replaced(expression, text)).toBe(expected);
  });

  it("finds what a regular expression finds", () => {
    const expressions = ["[a-c]+ba", "a[ab]*bc", "ab?c?ab", "\\w\\d{2,3}", "a.{1,3}b", "[^a]+aa", "a+a+a+"];
    const letters = "abc1";
    for (const expression of expressions) {
      const compiled = compileExpression(expression);
      if (compiled.kind === "refused") throw new Error(compiled.why);
      for (let seed = 0; seed < 4 ** 6; seed += 7) {
        const text = Array.from({ length: 6 }, (_, index) => letters[Math.floor(seed / 4 ** index) % 4]).join("");
        expect(compiled.replace(text, "#"), `${expression} in ${text}`).toBe(
          text.replace(new RegExp(expression, "g"), "#"),
        );
      }
    }
  });

  it("takes the time of one walk over the text, where a regular expression would never end", () => {
    expect(replaced(`${"a*".repeat(30)}bbb`, "a".repeat(5_000))).toBe("a".repeat(5_000));
  });

  it.each(["(a|b)+", "a|b", "\\1aa", "[z-a]bc", "ab", "a{1,999}", "a*", "^abc", "abc$", "[abc", "\\p{L}aa"])(
    "%s is refused with a reason",
    (expression) => {
      expect(compileExpression(expression)).toEqual({ kind: "refused", why: expect.any(String) });
    },
  );
});

describe("a rule", () => {
  const event = {
    message: "order KD-123456",
    request: { headers: { "X-Customer": "7", Accept: "*/*" }, data: { items: [{ iban: "DE1" }, { iban: "DE2" }] } },
    contexts: { user: { plan: "gold", nested: { city: "Oslo" } } },
    extra: { a: { b: { c: 1 } }, d: null },
    exception: { values: [{ type: "Error", value: "KD-123456 is unknown" }] },
  };
  const changesOf = (path: string, expression = ""): string[] => {
    const changes: string[] = [];
    scrubByRules([{ path, expression }])(event, (at) => changes.push(at));
    return changes;
  };

  it("names values by path, in objects, lists and the wrapped lists of clients", () => {
    expect(changesOf("request.headers.x-*")).toEqual(["request.headers.X-Customer"]);
    expect(changesOf("request.data.items.iban")).toEqual(["request.data.items.iban", "request.data.items.iban"]);
    expect(changesOf("contexts.user.*")).toEqual(["contexts.user.plan", "contexts.user.nested"]);
    expect(changesOf("extra.**.c")).toEqual(["extra.a.b.c"]);
    expect(changesOf("extra.*")).toEqual(["extra.a"]);
    expect(changesOf("exception.value")).toEqual(["exception.value"]);
    expect(changesOf("headers")).toEqual([]);
    expect(changesOf("**.plan")).toEqual(["contexts.user.plan"]);
  });

  it("takes out everything below a name, and shows that something was there", () => {
    const scrubbed = (path: string) => scrubByRules([{ path, expression: "" }]);
    expect(scrubbed("extra.**")({ extra: { a: { b: "text" }, c: "x" } })).toEqual({
      extra: { a: "[scrubbed]", c: "[scrubbed]" },
    });
    expect(scrubbed("extra.**")({ extra: "a text in place of an object" })).toEqual({ extra: "[scrubbed]" });
    expect(scrubbed("tags.**")({ tags: [["customer", "7"], { name: "x" }] })).toEqual({
      tags: [["[scrubbed]", "[scrubbed]"], { name: "[scrubbed]" }],
    });
    expect(changesOf("exception.**")).toEqual(["exception.type", "exception.value"]);
    expect(changesOf("contexts.**.nested.**")).toEqual(["contexts.user.nested.city"]);
  });

  it("takes an expression out of all texts, or of those at a path, and leaves the rest as it is", () => {
    expect(scrubByRules([{ path: "", expression: "KD-\\d+" }])(event)).toEqual({
      ...event,
      message: "order [scrubbed]",
      exception: { values: [{ type: "Error", value: "[scrubbed] is unknown" }] },
    });
    expect(changesOf("exception.**", "KD-\\d+")).toEqual(["exception.value"]);
    expect(scrubByRules([{ path: "", expression: "nothing" }])(event)).toBe(event);
  });

  it("is refused if it takes out everything, or cannot be read", () => {
    expect(problemOfScrubRule({ path: "**", expression: "" })).toMatchObject({ field: "path" });
    expect(problemOfScrubRule({ path: "", expression: "" })).toMatchObject({ field: "path" });
    expect(problemOfScrubRule({ path: "a..b", expression: "" })).toMatchObject({ field: "path" });
    expect(problemOfScrubRule({ path: "", expression: "(a+)+" })).toMatchObject({ field: "expression" });
    expect(problemOfScrubRule({ path: "extra.**", expression: "" })).toBeUndefined();
  });
});
