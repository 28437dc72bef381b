import { expect, test } from "vitest";
import { z } from "zod";
import { type BookedEnd, type SubmissionFacts, silentServerSignals } from "#signals";
import { action, invalid } from "../author/define.ts";
import { notFound, redirect } from "../author/outcome.ts";
import { testApplication } from "../test-application.ts";

const files = {
  "orders/[id].tsx": { default: () => <h1>Order</h1> },
  "orders/[id].server.ts": {
    actions: {
      save: action({}, () => "saved"),
      named: action({ input: z.object({ name: z.string() }) }, () => "saved"),
      refuse: action({}, () => invalid({ "": "No." })),
      leave: action({}, () => redirect("/")),
      miss: action({}, () => notFound()),
      fail: action({}, () => {
        throw new Error("broken");
      }),
      wait: action({}, () => new Promise(() => undefined)),
    },
  },
};

test("a submission that is taken has exactly one end", async () => {
  const ends: Record<string, string[]> = {};
  const taken: SubmissionFacts[] = [];
  await using app = await testApplication(files, {
    limits: { actionMs: 300 },
    signals: {
      ...silentServerSignals,
      errorCaught: () => ({
        kind: "recorded",
        eventId: "7".repeat(32),
        digest: "TEST-TEST-TEST",
        durable: Promise.resolve(),
      }),
      submissionTaken: (facts) => {
        taken.push(facts);
        const own: string[] = [];
        ends[facts.action] = own;
        return { kept: () => undefined, ended: (end: BookedEnd) => void own.push(end) };
      },
    },
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const name of Object.keys(files["orders/[id].server.ts"].actions))
    await app.ask(`/orders/7/_action/${name}`, { method: "POST", headers, body: "a=1" });
  expect(ends).toEqual({
    save: ["done"],
    named: ["invalid"],
    refuse: ["invalid"],
    leave: ["redirected"],
    miss: ["refused"],
    fail: ["failed"],
    wait: ["timed-out"],
  });
  expect(taken[0]).toEqual({ route: "/orders/[id]", action: "save", key: undefined });
  // What is refused before its action is known was not taken.
  await app.ask("/orders/7/_action/unknown", { method: "POST", headers, body: "a=1" });
  expect(taken).toHaveLength(7);
});
