import { webcrypto } from "node:crypto";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { EarlyErrors } from "../early-errors.ts";
import { earlyScript } from "./early-script.ts";

interface SentError {
  value: string;
  type: string;
  url: string;
  frames: { function: string; filename: string; lineno: number }[];
}

interface LeavingPage {
  early: EarlyErrors;
  /** Ends the page and returns what its beacons say. */
  leave(): SentError[];
  stored: Record<string, string>;
}

function openPage(settings: { scrub?: string[] } = {}, globals: object = {}): LeavingPage {
  const listeners: Record<string, () => void> = {};
  const sent: string[] = [];
  const stored: Record<string, string> = {};
  const self: { __holdfast_early?: EarlyErrors } = {};
  runInNewContext(earlyScript({ to: "https://errors.example/api/1/envelope/", environment: "test", ...settings }), {
    self,
    addEventListener: (name: string, listener: () => void) => {
      listeners[name] = listener;
    },
    navigator: { sendBeacon: (_: string, text: string) => sent.push(text) },
    localStorage: stored,
    location: { href: "https://shop.example/" },
    crypto: webcrypto,
    ...globals,
  });
  const early = self.__holdfast_early;
  if (!early) throw new Error("The script has set nothing.");
  return {
    early,
    stored,
    leave() {
      listeners.pagehide?.();
      return sent.map(readSent);
    },
  };
}

function readSent(envelope: string): SentError {
  const { exception, request } = JSON.parse(envelope.split("\n")[2] ?? "");
  const { value, type, stacktrace } = exception.values[0];
  return { value, type, url: request.url, frames: stacktrace?.frames ?? [] };
}

function thrownWith(fields: object): { thrown: unknown; at: number } {
  return { thrown: fields, at: 1 };
}

test("a page that is left sends its early errors, with their stack and without secrets", () => {
  const page = openPage();
  const stack = `TypeError: password="hunter2"
    at open (https://shop.example/a.js?token=hunter2:1:2)
    at async Map.<anonymous> (https://shop.example/@id/b.js:3:4)
read@https://shop.example/c.js:5:6
https://shop.example/d.js:7:8`;
  page.early.list.push({
    ...thrownWith({ name: "TypeError", message: 'password="hunter2"', stack }),
    url: "/?pin=1234",
  });
  expect(page.leave()).toEqual([
    {
      value: "password=[left-out]",
      type: "TypeError",
      url: "/?pin=[left-out]",
      frames: [
        { function: "?", filename: "https://shop.example/d.js", lineno: 7, colno: 8, in_app: true },
        { function: "read", filename: "https://shop.example/c.js", lineno: 5, colno: 6, in_app: true },
        { function: "Map.<anonymous>", filename: "https://shop.example/@id/b.js", lineno: 3, colno: 4, in_app: true },
        { function: "open", filename: "https://shop.example/a.js?token=[left-out]", lineno: 1, colno: 2, in_app: true },
      ],
    },
  ]);
  expect(JSON.stringify(page.stored)).not.toContain("hunter2");
  expect(page.early.list).toEqual([]);
});

test.each([
  ["an expression with the flag v", ["/[\\w--\\d]nick/v"], undefined],
  ["an expression that the browser does not know", ["/nick/"], "[left-out]"],
])("no early error is lost by %s", (_, scrub, left) => {
  // A browser that knows fewer flags.
  const readExpression = (source: string, flags: string): RegExp => {
    if (source === "nick") throw new SyntaxError("Invalid flags");
    return new RegExp(source, flags);
  };
  const page = openPage({ scrub }, { RegExp: readExpression });
  page.early.list.push(thrownWith({ message: "first" }), thrownWith({ message: "second" }));
  expect(page.leave().map(({ value }) => value)).toEqual([left ?? "first", left ?? "second"]);
});

test("an early error that cannot be read does not cost the others", () => {
  const page = openPage();
  const unreadable = {
    get message() {
      throw new Error("not today");
    },
  };
  page.early.list.push(thrownWith(unreadable), thrownWith({ message: "second" }));
  page.early.list.push({ ...thrownWith({ message: "third" }), at: 1n as unknown as number });
  page.early.list.push(thrownWith({ message: "fourth" }));
  const values = page.leave().map(({ value }) => value);
  expect(values).toContain("second");
  expect(values).toContain("fourth");
});

test("a stack that is four times as long costs about four times the work", () => {
  for (const [begin, rest] of [
    ["", "@"],
    [" ", "@"],
    [" ", "("],
    ["at ", ":1"],
    ["@", "1"],
  ] as const) {
    const [shortMs, longMs] = [125, 500].map((count) => {
      const thrown = { stack: begin.repeat(count / Math.max(1, begin.length)) + rest.repeat(count / rest.length) };
      let least = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 10; run++) {
        const page = openPage();
        page.early.list.push(...Array.from({ length: 20 }, () => thrownWith(thrown)));
        const startedAt = performance.now();
        page.leave();
        // Other programs of the machine only add to a run.
        least = Math.min(least, performance.now() - startedAt);
      }
      return least;
    }) as [number, number];
    expect(longMs / shortMs, begin + rest).toBeLessThan(8);
  }
});
