import { describe, expect, it } from "vitest";
import { defaultRule, type NamedChannel } from "./alert-settings.ts";
import { aMessage } from "./messages/message-examples.ts";
import { type Findings, floodLimits, floodLimitsOf, type PlanDeps, planNotices } from "./plan-notices.ts";

const channel = (id: string): NamedChannel => ({ id, name: id, channel: { kind: "mail", to: ["ada@example.org"] } });
const deps: PlanDeps = {
  project: 1,
  channels: [channel("mail"), channel("chat")],
  recent: new Map(),
  quietUntil: undefined,
  now: 5,
  limits: floodLimits,
  describeSummary: (id, count, items) => ({ ...aMessage, id, items, itemsInAll: count }),
};
const usual = defaultRule("new-issue");
const findings = (count: number, more = 0, rule = usual): Findings => ({
  found: Array.from({ length: count }, (_, at) => ({
    key: `new-issue 1/${at}`,
    subject: `issue 1/${at}`,
    message: aMessage,
    againAfterMs: undefined,
  })),
  rule,
  more,
});

describe("a plan of notices", () => {
  it("has as many for a channel as the operator allows", () => {
    const limits = floodLimitsOf({ HOLDFAST_ALERT_MESSAGES: "50" });
    expect(limits).toEqual({ ...floodLimits, messages: 50 });
    const { notices, summaries } = planNotices(findings(60), { ...deps, channels: [channel("hook")], limits });
    expect([notices.length, summaries[0]?.alerts.length]).toEqual([50, 10]);
    expect(floodLimitsOf({})).toBe(floodLimits);
  });

  it("has one for each channel, at once", () => {
    const { notices, summaries } = planNotices(findings(2), deps);
    expect(notices.map(({ key, channel: id, dueAt }) => `${id} ${key} ${dueAt}`)).toEqual([
      "mail new-issue 1/0 5",
      "mail new-issue 1/1 5",
      "chat new-issue 1/0 5",
      "chat new-issue 1/1 5",
    ]);
    expect(summaries).toEqual([]);
  });

  it("has at most twenty for each channel in ten minutes, and sums up the rest", () => {
    const { notices, summaries } = planNotices(findings(30, 9_970), { ...deps, recent: new Map([["chat", 15]]) });
    expect(notices.filter(({ channel: id }) => id === "mail")).toHaveLength(20);
    expect(notices.filter(({ channel: id }) => id === "chat")).toHaveLength(5);
    expect(summaries.map(({ channel: id, alerts, more, dueAt }) => [id, alerts.length + more, dueAt])).toEqual([
      ["mail", 9_980, 600_005],
      ["chat", 9_995, 600_005],
    ]);
  });

  it("has only summaries in quiet hours, for their end", () => {
    const { notices, summaries } = planNotices(findings(2), { ...deps, quietUntil: 77 });
    expect(notices).toEqual([]);
    expect(summaries.map(({ alerts, dueAt }) => [alerts.length, dueAt])).toEqual([
      [2, 77],
      [2, 77],
    ]);
  });

  it("is empty for a rule that is off or muted", () => {
    const planned = (rule: typeof usual) => planNotices(findings(1, 5, rule), deps);
    expect(planned({ ...usual, isOn: false })).toEqual({ notices: [], summaries: [] });
    expect(planned({ ...usual, mutedUntil: 6 })).toEqual({ notices: [], summaries: [] });
    expect(planned({ ...usual, mutedUntil: 5 }).notices).toHaveLength(2);
  });
});
