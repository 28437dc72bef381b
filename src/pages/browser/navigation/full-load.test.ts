import { describe, expect, it } from "vitest";
import { browserLimits } from "../../limits.ts";
import { createLedger, type LedgerStorage } from "./full-load.ts";

describe("an automatic full load", () => {
  it("is allowed once per address and reason in 30 seconds", () => {
    const { load, wait } = aTab();
    expect(load("/a", "timeout-data")).toBe(true);
    wait(29_999);
    expect(load("/a", "timeout-data")).toBe(false);
    expect(load("/a", "network")).toBe(true);
    wait(1);
    expect(load("/a", "timeout-data")).toBe(true);
  });

  it("is allowed three times per tab in 60 seconds", () => {
    const { load, wait } = aTab();
    for (const url of ["/a", "/b", "/c"]) expect(load(url, "network")).toBe(true);
    wait(59_999);
    expect(load("/d", "network")).toBe(false);
    wait(1);
    expect(load("/d", "network")).toBe(true);
  });

  it("is remembered across documents", () => {
    const { load, nextDocument } = aTab();
    expect(load("/a", "missing-module")).toBe(true);
    nextDocument();
    expect(load("/a", "missing-module")).toBe(false);
  });

  it("is refused when the ledger cannot be stored", () => {
    const ledger = createLedger({ read: () => null, write: () => false }, browserLimits, () => 0);
    expect(ledger.mayLoad("/a", "network")).toBe(false);
  });

  it("an automatic full load of an address outside the application is not counted", () => {
    const { load } = aTab();
    for (let i = 0; i < 10; i++) expect(load("https://elsewhere.test/", "foreign-redirect")).toBe(true);
    expect(load("/a", "network")).toBe(true);
  });

  it("an automatic full load that the visitor requested is always allowed and never counted, even if nothing can be stored", () => {
    const { load, nextDocument } = aTab();
    for (let click = 0; click < 10; click++) {
      expect(load("/a", "build-mismatch", true)).toBe(true);
      nextDocument();
    }
    for (const url of ["/a", "/b", "/c"]) expect(load(url, "build-mismatch")).toBe(true);
    expect(load("/d", "build-mismatch")).toBe(false);
    expect(load("/d", "build-mismatch", true)).toBe(true);
    const forgetful = createLedger({ read: () => null, write: () => false }, browserLimits, () => 0);
    expect(forgetful.mayLoad("/a", "network", true)).toBe(true);
  });

  it.each([
    "no JSON",
    "7",
    '[{"url":"/a","reason":"network"}]',
    '[{"url":"/a","reason":"network","at":"soon"}]',
    '[{"url":"/a","reason":"network","at":9e15}]',
  ])("treats a damaged ledger (%s) as empty", (text) => {
    const { load } = aTab(text);
    expect(load("/a", "network")).toBe(true);
  });
});

function aTab(text: string | null = null) {
  let kept = text;
  let now = 1_700_000_000_000;
  const place: LedgerStorage = {
    read: () => kept,
    write(next) {
      kept = next;
      return true;
    },
  };
  const open = () => createLedger(place, browserLimits, () => now);
  let ledger = open();
  return {
    load(url: string, reason: Parameters<typeof ledger.mayLoad>[1], userInitiated?: boolean) {
      const allowed = ledger.mayLoad(url, reason, userInitiated);
      if (allowed) ledger.note(url, reason, userInitiated);
      return allowed;
    },
    wait(ms: number) {
      now += ms;
    },
    nextDocument() {
      ledger = open();
    },
  };
}
