import { describe, expect, it } from "vitest";
import {
  ReturnStore,
  type ReturnStoreDeps,
  readBrokenLimits,
  returnLimits,
  type UnsentSubmission,
} from "./return-store.ts";

const origin = "https://shop.example";

function unsent(key: string, text = "tea"): UnsentSubmission {
  return {
    ...{ name: "/order/_action/place place 1", nth: 0, slot: "place 1", address: `${origin}/order/_action/place` },
    ...{ entry: 1, key, attempt: 1, pressedAt: 1_000, isEdited: false, page: `${origin}/order`, until: 2_000 },
    ...{ fields: [["item", text]], isPartial: false, draft: [["item", 0, text]] },
  };
}

function aBrowser(deps: Partial<ReturnStoreDeps> = {}) {
  const items = new Map<string, string>();
  const browser = { now: 1_000, text: () => items.get("holdfast-return") ?? null };
  const storage = {
    getItem: () => browser.text(),
    setItem: (key: string, text: string) => void items.set(key, text),
    removeItem: (key: string) => void items.delete(key),
  };
  const limits = { ...returnLimits, submissions: 2, characters: 2_000 };
  const broken = () => readBrokenLimits("2 3");
  const all = { storage: () => storage, origin: () => origin, limits, broken, now: () => browser.now, ...deps };
  return { ...browser, items, at: (now: number) => new ReturnStore({ ...all, now: () => now }), ...{ all } };
}

const keys = (store: ReturnStore): string[] => store.read().unsent.map(({ key }) => key);

describe("what a visit leaves for the next one", () => {
  it("is stored until it is dropped, and then nothing is left in the browser", () => {
    const { at, items } = aBrowser();
    expect([at(1_000).put(unsent("a")), at(1_000).put({ ...unsent("a"), attempt: 2 })]).toEqual([true, true]);
    expect(at(2_000).find("a")).toEqual({ ...unsent("a"), attempt: 2 });
    at(2_000).drop("a");
    expect([...items]).toEqual([]);
  });

  it("is bounded in number, size and age", () => {
    const { at } = aBrowser();
    // What is stored was promised to be sent, so another one has to wait.
    expect(["a", "b", "c"].map((key) => at(1_000).put(unsent(key)))).toEqual([true, true, false]);
    expect([at(1_000).put({ ...unsent("b"), attempt: 2 }), keys(at(1_000))]).toEqual([true, ["a", "b"]]);
    at(1_000).drop("a");
    expect([at(1_000).put(unsent("d", "x".repeat(2_000))), keys(at(1_000))]).toEqual([false, ["b"]]);
    const { ageMs, rememberedMs } = returnLimits;
    const old = (age: number): boolean[] => [
      at(1_000 + age).isForgotten(unsent("b")),
      at(1_000 + age).isExpired(unsent("b")),
    ];
    expect([old(rememberedMs - 1), old(ageMs - 1), old(ageMs)]).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(keys(at(1_000 + ageMs)), "until a visit has shown it").toEqual(["b"]);
  });

  it("is not stored where storage is denied, and nothing fails", () => {
    const denied = (): never => {
      throw new DOMException("denied", "SecurityError");
    };
    const store = aBrowser({ storage: denied }).at(1_000);
    expect([store.put(unsent("a")), keys(store)]).toEqual([false, []]);
    expect(() => store.drop("a")).not.toThrow();
  });

  it("is a page that broke, asked about at most every ten minutes, and the newest error of each page", () => {
    const { at } = aBrowser();
    const broken = (digest: string, page: string, text = "typed") => ({
      ...{ digest, page: origin + page, at: 1_000, tag: "ada" },
      drafts: [{ name: "/a/_action/b b 1", nth: 0, fields: [["story", 0, text] as const] }],
    });
    for (const [digest, page] of [
      ["1", "/a"],
      ["2", "/b"],
      ["3", "/a"],
    ] as const)
      at(1_000).putBroken(broken(digest, page));
    const asked = (now: number): string[] =>
      at(now)
        .takeQuestions()
        .map(({ digest }) => digest);
    const { askMs } = returnLimits;
    expect([asked(2_000), asked(1_000 + askMs), asked(1_001 + askMs)]).toEqual([[], ["2", "3"], []]);
    at(2_000).dropBroken("2");
    expect(asked(1_000 + 2 * askMs)).toEqual(["3"]);
    // What was typed is left out where it is too large, and the page is remembered all the same.
    at(1_000).putBroken(broken("4", "/c", "x".repeat(2_000)));
    expect(at(1_000).read().broken.at(-1)).toMatchObject({ digest: "4", drafts: [] });
  });

  it("is as many broken pages, for as many days, as the document says, and none where it says nothing", () => {
    const left = (attribute: string | undefined, now: number): string[] => {
      const { at } = aBrowser({ broken: () => readBrokenLimits(attribute) });
      for (const digest of ["1", "2", "3"])
        at(1_000).putBroken({ digest, page: `${origin}/${digest}`, at: 1_000, tag: "", drafts: [] });
      return at(now)
        .read()
        .broken.map((one) => one.digest);
    };
    const dayMs = 86_400_000;
    expect([left("2 3", 3 * dayMs), left("2 3", 1_000 + 3 * dayMs)]).toEqual([["2", "3"], []]);
    expect([left("5 30", 29 * dayMs), left("0 7", 1_000), left(undefined, 1_000)]).toEqual([["1", "2", "3"], [], []]);
  });

  it("ignores what other code wrote, and what would be sent to another origin", () => {
    const { at, items } = aBrowser();
    const wrong = [
      null,
      7,
      { ...unsent("a"), key: 7 },
      { ...unsent("b"), fields: "x" },
      { ...unsent("c"), address: "https://evil.example/order/_action/place" },
      { ...unsent("d"), page: "javascript:alert(1)" },
      unsent("e"),
    ];
    for (const text of ["", "{", "7", "[]", '{"unsent":7}']) {
      items.set("holdfast-return", text);
      expect(keys(at(1_000))).toEqual([]);
    }
    const elsewhere = { digest: "1", page: "https://evil.example/", at: 1_000, tag: "", drafts: [] };
    const broken = [7, elsewhere, { ...elsewhere, drafts: [7] }];
    items.set("holdfast-return", JSON.stringify({ unsent: wrong, broken, askedAt: "x" }));
    expect([keys(at(1_000)), at(1_000).read().broken, at(1_000).read().askedAt]).toEqual([["e"], [], 0]);
  });
});
