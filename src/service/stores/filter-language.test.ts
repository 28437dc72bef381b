import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterFor, filterProblems, readFilter, writeFilter } from "./filter-language.ts";

describe("the filter language", () => {
  it("reads states, fields, tags, negation, phrases and words from one line", () => {
    expect(
      readFilter('is:open is:regressed release:1.4* -route:/cart browser:"Chrome Mobile" "not a function" -boom'),
    ).toEqual({
      states: ["open", "regressed"],
      terms: [
        { field: "release", value: "1.4*", not: false },
        { field: "route", value: "/cart", not: true },
        { field: "tag", key: "browser", value: "Chrome Mobile", not: false },
      ],
      words: [
        { text: "not a function", not: false },
        { text: "boom", not: true },
      ],
    });
  });

  it("accepts names that people know from elsewhere", () => {
    expect(readFilter("is:unresolved env:prod transaction:/x")).toMatchObject({
      states: ["open", "regressed"],
      terms: [{ field: "environment" }, { field: "route" }],
    });
  });

  it("turns -is:muted into all the other states", () => {
    expect(readFilter("-is:muted").states).toEqual(["open", "regressed", "resolved"]);
    expect(readFilter("is:unresolved -is:regressed").states).toEqual(["open"]);
  });

  it("names its meaningless parts, and what is known instead", async () => {
    const problems = (text: string) => filterProblems(text, async (key) => key === "browser");
    expect(await problems("is:nonsense")).toEqual([
      "There is no state “nonsense”. States are open, regressed, resolved, muted, unresolved, ignored, archived.",
    ]);
    expect(await problems("-relase:1.4*")).toEqual([
      "“relase:” is neither a field nor a tag of this project's events. Fields are is, release, first-release, resolved-in, regressed-in, route, environment, user, level, type, assigned, platform.",
    ]);
    expect(await problems("boom ".repeat(21))).toEqual(["Only the first 20 words and terms count."]);
    expect(await problems("a:1 b:1 c:1 d:1 is:none")).toHaveLength(3);
    for (const text of [
      "is:open -is:ignored",
      "env:prod Transaction:/x",
      "browser:Fire*",
      "https://a.test/b",
      "cart.ts:7",
    ])
      expect(await problems(text), text).toEqual([]);
  });

  it("reads a pasted URL as text", () => {
    expect(readFilter("https://shop.test/cart")).toMatchObject({
      terms: [],
      words: [{ text: "https://shop.test/cart" }],
    });
  });

  it("reads a pasted name or place as text", () => {
    const wordsOf = (text: string) => readFilter(text).words.map((word) => word.text);
    expect(wordsOf("ActiveRecord::RecordNotFound Result::unwrap")).toEqual([
      "ActiveRecord::RecordNotFound",
      "Result::unwrap",
    ]);
    expect(wordsOf("cart.ts:42 src/cart.ts:42:7 app/main.go:9")).toEqual(["cart.ts", "src/cart.ts", "app/main.go"]);
    expect(readFilter("http.status_code:500").terms).toMatchObject([{ field: "tag", key: "http.status_code" }]);
  });

  it("accepts other names of levels", () => {
    expect(readFilter("level:warn level:Error level:err*").terms.map(({ value }) => value)).toEqual([
      ...["warning", "error", "err*"],
    ]);
  });

  it("keeps every character of a half-typed term", () => {
    expect(readFilter('release: is:nonsense route:"/ca')).toMatchObject({
      terms: [{ field: "route", value: "/ca" }],
      words: [{ text: "release:" }, { text: "is:nonsense" }],
    });
  });

  it("reads back what it wrote, whatever was typed", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const once = readFilter(text);
        expect(readFilter(writeFilter(once))).toEqual(once);
      }),
    );
  });

  it("uses at most twenty words and terms", () => {
    const { terms, words } = readFilter(`is:open ${"a release:1 ".repeat(500)}`);
    expect([terms.length, words.length]).toEqual([10, 10]);
  });
});

it("assigned:me is the person who asks, and nothing else is touched", () => {
  const filter = readFilter(filterFor('is:open assigned:me -assignee:Me "assigned:me"', "ada@shop.example"));
  expect(filter).toEqual(readFilter('is:open assigned:ada@shop.example -assigned:ada@shop.example "assigned:me"'));
  expect(filterFor("a  b assigned:meg", "ada@shop.example")).toBe("a  b assigned:meg");
});
