import { expect, test } from "vitest";
import { showHealing } from "./healed-routes.ts";

const cause = { since: 5, new: { requests: 9, failures: 6 }, before: { requests: 1_204, failures: 2 } };
const routes = [
  { route: "/", on: "2.5", state: { kind: "new" as const } },
  { route: "/cart", on: "2.4", state: { kind: "healed" as const, cause, triedAt: 60_000 } },
  { route: "/pay", on: "2.5", state: { kind: "not-healed" as const, cause, why: "its actions changed" } },
];
const status = { name: "2.5", before: "2.4", never: undefined, routes };
const issues = new Map([["/cart", { number: 7, title: "healed: /cart runs on 2.4", lastSeen: 9 }]]);

test("routes of the served release have their state, what was counted on both builds, their issue and choices", () => {
  const shown = showHealing("2.5", { status, isElsewhere: false, issues });
  expect(shown).toMatchObject({ place: "here", before: "2.4", pinnable: ["/"] });
  expect(shown.routes).toEqual([
    {
      ...{ route: "/cart", state: "healed", on: "2.4", since: 5, triedAt: 60_000, issue: 7 },
      why: "6 of 9 requests failed, 2 of 1,204 on 2.4.",
      choices: ["before", "new"],
    },
    {
      ...{ route: "/pay", state: "not healed", on: "2.5", since: 5, issue: undefined },
      why: "6 of 9 requests failed, 2 of 1,204 on 2.4. Not healed: its actions changed.",
      choices: [],
    },
  ]);
});

test("of a release that only warns, nothing can be pinned", () => {
  const never = 'releases.healing is "warn"';
  const { routes: shown, pinnable } = showHealing("2.5", { status: { ...status, never }, isElsewhere: false, issues });
  expect([shown[1]?.state, pinnable]).toEqual(["warned", []]);
});

test("an application elsewhere and a release that is over are known by their issues only", () => {
  const reported = { route: "/cart", state: "reported", on: undefined, since: 9, issue: 7, choices: [] };
  const why = "healed: /cart runs on 2.4.";
  const elsewhere = showHealing("2.5", { status: undefined, isElsewhere: true, issues });
  expect(elsewhere).toEqual({
    ...{ place: "elsewhere", before: undefined, pinnable: [] },
    routes: [{ ...reported, why }],
  });
  const over = showHealing("2.5", { status: { ...status, name: "2.6" }, isElsewhere: false, issues });
  expect([over.place, over.routes]).toEqual(["over", [{ ...reported, why }]]);
});
