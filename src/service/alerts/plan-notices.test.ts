import { describe, expect, it } from "vitest";
import { defaultRule, type NamedChannel } from "./alert-settings.ts";
import { aMessage } from "./messages/message-examples.ts";
import { type FoundAlert, floodLimits, type PlanDeps, planNotices } from "./plan-notices.ts";

const channel = (id: string): NamedChannel => ({ id, name: id, channel: { kind: "mail", to: ["ada@example.org"] } });
const deps: PlanDeps = {
  project: 1,
  channels: [channel("mail"), channel("chat")],
  recent: new Map(),
  dueAt: 7,
  now: 5,
  limits: floodLimits,
};
const alerts = (count: number, rule = defaultRule("new-issue")): FoundAlert[] =>
  Array.from({ length: count }, (_, at) => ({ key: `new-issue 1/${at}`, rule, message: aMessage }));

describe("a plan of notices", () => {
  it("has one for each channel", () => {
    const { notices, leftOut } = planNotices(alerts(2), 0, deps);
    expect(notices.map(({ key, channel: id, dueAt }) => `${id} ${key} ${dueAt}`)).toEqual([
      "mail new-issue 1/0 7",
      "mail new-issue 1/1 7",
      "chat new-issue 1/0 7",
      "chat new-issue 1/1 7",
    ]);
    expect(leftOut.size).toBe(0);
  });

  it("has at most twenty for each channel in a minute, and counts the rest", () => {
    const { notices, leftOut } = planNotices(alerts(30), 9_970, { ...deps, recent: new Map([["chat", 15]]) });
    expect(notices.filter(({ channel: id }) => id === "mail")).toHaveLength(20);
    expect(notices.filter(({ channel: id }) => id === "chat")).toHaveLength(5);
    expect([...leftOut]).toEqual([
      ["mail", 9_980],
      ["chat", 9_995],
    ]);
  });

  it("leaves out rules that are off or muted, and channels that a rule does not name", () => {
    const usual = defaultRule("new-issue");
    const planned = (rule: typeof usual) => planNotices(alerts(1, rule), 0, deps).notices.map(({ channel: id }) => id);
    expect(planned({ ...usual, isOn: false })).toEqual([]);
    expect(planned({ ...usual, mutedUntil: 6 })).toEqual([]);
    expect(planned({ ...usual, mutedUntil: 5 })).toEqual(["mail", "chat"]);
    expect(planned({ ...usual, channels: ["chat"] })).toEqual(["chat"]);
  });
});
