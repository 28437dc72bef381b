import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Additions, AlertOutbox, type NewNotice, type NewSummary } from "./alert-outbox.ts";
import type { NamedChannel } from "./alert-settings.ts";
import { aMessage } from "./messages/message-examples.ts";
import { openAlertDatabase } from "./open-alert-database.ts";
import type { PostOutcome } from "./outgoing/post-safely.ts";
import { retryLimits, sendDue } from "./send-due.ts";

const channel: NamedChannel = { id: "mail", name: "Mail", channel: { kind: "mail", to: ["ada@example.org"] } };
const notice = (key: string, dueAt = 0): NewNotice => ({
  key,
  subject: key,
  unlessSince: undefined,
  project: 1,
  channel: "mail",
  message: aMessage,
  dueAt,
});
const adding = (...notices: readonly NewNotice[]): Additions => ({
  notices,
  summaries: [],
  cursors: [{ project: 1, name: "new-issue", value: 3 }],
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-alerts-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function opened(path = folder(), clock = { now: 1_000 }) {
  const rows = openAlertDatabase(path);
  onTestFinished(() => rows.close());
  const outbox = new AlertOutbox(rows, () => clock.now);
  const sent: string[] = [];
  const turn = (outcome: PostOutcome = { kind: "sent" }, channelOf = (): NamedChannel | undefined => channel) =>
    sendDue({
      outbox,
      channelOf,
      send: async (_channel, { id }) => {
        sent.push(id);
        return outcome;
      },
      now: () => clock.now,
      limits: retryLimits,
    });
  return { outbox, sent, turn, clock };
}

describe("the outbox", () => {
  it("sends a message once, whichever process finds its cause again", async () => {
    const path = folder();
    const [one, other] = [opened(path), opened(path)];
    expect(await one.outbox.add(adding(notice("a")))).toBe(1);
    expect(await other.outbox.add(adding(notice("a")))).toBe(0);
    await one.turn();
    await other.turn();
    expect([...one.sent, ...other.sent]).toEqual(["a mail"]);
    expect([...(await other.outbox.cursors(1))]).toEqual([["new-issue", 3]]);
    expect([...(await other.outbox.cursors(2))]).toEqual([]);
  });

  it("tries again with growing pauses through an hour in which the channel fails", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add(adding(notice("a")));
    const failing: PostOutcome = { kind: "failed", why: "The answer was 503" };
    while (clock.now < 3_600_000) {
      await turn(failing);
      clock.now += 1_000;
    }
    expect(sent.length).toBeGreaterThan(8);
    expect(sent.length).toBeLessThan(16);
    expect((await outbox.channelStates(1)).get("mail")?.failure?.why).toBe("The answer was 503");
    for (let seconds = 0; seconds < 700; seconds += 1) {
      await turn();
      clock.now += 1_000;
    }
    const tries = sent.length;
    await turn();
    expect(sent).toHaveLength(tries);
    expect((await outbox.channelStates(1)).get("mail")?.sentAt).toBeGreaterThan(3_600_000);
  });

  it("sends a message once although two processes want to at the same time", async () => {
    const path = folder();
    const [one, other] = [opened(path), opened(path)];
    await one.outbox.add(adding(...Array.from({ length: 20 }, (_, at) => notice(`n${at}`))));
    await Promise.all([one.turn(), other.turn()]);
    expect([...one.sent, ...other.sent].toSorted()).toEqual(
      Array.from({ length: 20 }, (_, at) => `n${at} mail`).toSorted(),
    );
  });

  it("has a message about the same subject once in a day, unless it is news", async () => {
    const { outbox, clock } = opened();
    const about = (key: string): NewNotice => ({ ...notice(key), subject: "issue 1/7", unlessSince: clock.now - 500 });
    expect(await outbox.add(adding(about("a")))).toBe(1);
    clock.now += 499;
    expect(await outbox.add(adding(about("b")))).toBe(0);
    expect(await outbox.add(adding({ ...about("c"), unlessSince: undefined }))).toBe(1);
    clock.now += 501;
    expect(await outbox.add(adding(about("d")))).toBe(1);
  });

  it("adds what exceeds a bound to one summary, until it is sent", async () => {
    const { outbox, sent, turn, clock } = opened();
    const summary = (count: number, more = 0): NewSummary => ({
      project: 1,
      channel: "mail",
      alerts: Array.from({ length: count }, (_, at) => notice(`issue ${at}`)),
      more,
      dueAt: 2_000,
      describe: (id, all, items) => ({ ...aMessage, id, items, itemsInAll: all }),
    });
    // The same alerts again are not new.
    for (const count of [4, 12, 12]) await outbox.add({ ...adding(), summaries: [summary(count)] });
    await outbox.add({ ...adding(), summaries: [summary(0, 9_968)] });
    await turn();
    expect(sent).toEqual([]);
    clock.now = 2_000;
    const [due, ...more] = await outbox.due(10);
    expect(more).toEqual([]);
    expect([due?.message.itemsInAll, due?.message.items.length]).toEqual([9_980, 10]);
    await turn();
    await outbox.add({ ...adding(), summaries: [summary(0, 1)] });
    expect((await outbox.channelStates(1)).get("mail")).toEqual({ sentAt: 2_000, failure: undefined, waiting: 1 });
  });

  it("waits as long as a channel asks for, and gives up what it refuses or what is a day old", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add(adding(notice("a")));
    await turn({ kind: "failed", why: "The answer was 429", retryAfterSeconds: 120 });
    clock.now += 119_000;
    await turn();
    expect(sent).toHaveLength(1);
    clock.now += 1_000;
    await turn({ kind: "refused", why: "The answer was 404" });
    clock.now += 86_400_000;
    await turn();
    expect(sent).toHaveLength(2);
    expect((await outbox.channelStates(1)).get("mail")).toMatchObject({ failure: { why: "The answer was 404" } });
    await outbox.add(adding(notice("b")));
    clock.now += retryLimits.giveUpMs;
    await turn({ kind: "failed", why: "The answer was 503" });
    clock.now += retryLimits.longestMs;
    await turn();
    expect(sent).toHaveLength(3);
  });

  it("sends nothing before its time, and nothing to a channel that was removed", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add(adding(notice("a", 5_000)));
    await turn();
    expect(sent).toEqual([]);
    clock.now = 5_000;
    await turn({ kind: "sent" }, () => undefined);
    expect(sent).toEqual([]);
    expect((await outbox.channelStates(1)).get("mail")?.failure?.why).toBe("The channel was removed.");
  });

  it("counts what was added in a window, and forgets what ended long ago", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add(adding(notice("a"), notice("b")));
    expect([...(await outbox.addedSince(1, 1_000))]).toEqual([["mail", 2]]);
    expect([...(await outbox.addedSince(1, 1_001))]).toEqual([]);
    await turn();
    clock.now += 10;
    await outbox.forgetBefore(clock.now);
    await outbox.add(adding(notice("a")));
    await turn();
    expect(sent).toEqual(["a mail", "b mail", "a mail"]);
  });
});
