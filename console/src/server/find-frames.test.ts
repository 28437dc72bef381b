import { describe, expect, it } from "vitest";
import { findFrames } from "./find-frames.ts";
import type { ShownEvent, ShownException, ShownFrame } from "./show-event.ts";

describe("a search in the frames of an event", () => {
  const event = anEvent([
    ["TypeError", [frame("totalOf", "src/cart.ts", "return items.length"), frame("render", "node_modules/react.js")]],
    ["DatabaseError", [frame("query", "src/db.ts", "await pool.query(sql)", [["sql", "SELECT price"]])]],
  ]);
  const found = (word: string) => {
    const { event: shown, frames } = findFrames(event, word, false);
    const chain = shown.body.kind === "whole" ? shown.body.chain : [];
    return { names: chain.map(({ type, frames }) => [type, ...frames.map((one) => one.function)]), frames };
  };

  it("finds functions, files, source and variables of every exception", () => {
    expect(found("TOTALOF").names).toEqual([["TypeError", "totalOf"]]);
    expect(found("src/db.ts:7").names).toEqual([["DatabaseError", "query"]]);
    expect(found("items.length").names).toEqual([["TypeError", "totalOf"]]);
    expect(found("select price").names).toEqual([["DatabaseError", "query"]]);
    expect(found("src/")).toMatchObject({
      names: [
        ["TypeError", "totalOf"],
        ["DatabaseError", "query"],
      ],
      frames: { word: "src/", shown: 2, total: 3, isUnfolded: true },
    });
  });

  it("shows everything without a word, and nothing without a match", () => {
    expect(found("")).toMatchObject({ frames: { shown: 3, total: 3, isUnfolded: false } });
    expect(found("nowhere")).toMatchObject({ names: [], frames: { shown: 0, total: 3 } });
  });

  it("leaves an event without content as it is", () => {
    const damped: ShownEvent = { ...event, body: { kind: "damped" } };
    expect(findFrames(damped, "x", true)).toEqual({ event: damped, frames: undefined });
  });
});

function frame(name: string, file: string, source = "", locals: ShownFrame["locals"] = []): ShownFrame {
  const tokens: ShownFrame["source"][number]["tokens"] = [["", source]];
  return {
    ...{ function: name, file, line: 7, column: 1, isApplication: true, link: undefined, locals },
    source: [{ number: 7, tokens, fails: true }],
  };
}

function anEvent(exceptions: readonly (readonly [string, ShownFrame[]])[]): ShownEvent {
  const chain = exceptions.map(
    ([type, frames]): ShownException => ({ relation: "", depth: 0, type, message: "", handled: undefined, frames }),
  );
  return {
    ...{ eventId: "e", digest: "d", at: 0, level: "error", route: undefined, release: undefined },
    ...{ environment: undefined, traceId: undefined, title: "t", steps: [], visitor: undefined },
    ...{ feedback: [], attachments: [] },
    neighbours: { older: undefined, newer: undefined, newest: undefined, oldest: undefined },
    body: {
      ...{ kind: "whole", isUnmapped: false, remarks: [], facts: [], groups: [], tags: [], url: undefined },
      chain,
    },
  };
}
