import { expect, it } from "vitest";
import { explain } from "../parts/issue/issue-state.tsx";
import { showState } from "./show-state.ts";

const nameOf = (person: string): string => (person === "ada@shop.test" ? "Ada" : person);
const said = (state: Parameters<typeof showState>[0]) => explain(showState(state, nameOf), (at) => `at ${at}`);

it("a state says who made it, when, and when it ends", () => {
  expect(said({ kind: "regressed", at: 5, release: "shop@2", resolvedAt: 1 })).toBe("It came back in shop@2, at 5");
  expect(said({ kind: "resolved", at: 5, by: "check-ins", fixed: { in: "now" } })).toBe(
    "Resolved by the next good run, at 5",
  );
  const muted = { kind: "muted", at: 5, by: "ada@shop.test" } as const;
  expect(said({ ...muted, until: { kind: "time", at: 9 } })).toBe("Muted by Ada until at 9, since at 5");
  expect(said({ ...muted, until: { kind: "for-ever" } })).toBe(
    "Muted by Ada until somebody opens it again, since at 5",
  );
  expect(said({ ...muted, until: { kind: "events", more: 100, from: 3 } })).toBe(
    "Muted by Ada until 100 more events, since at 5",
  );
});

it("only an open issue is marked as new", () => {
  expect(showState({ kind: "open" }, nameOf, true)).toMatchObject({ kind: "open", name: "new", word: "New" });
  const back = { kind: "regressed", at: 5, release: undefined, resolvedAt: 1 } as const;
  expect(showState(back, nameOf, true)).toMatchObject({ name: "regressed", word: "Came back" });
});
