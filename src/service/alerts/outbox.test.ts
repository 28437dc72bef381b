import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NamedChannel } from "./alert-settings.ts";
import { aMessage } from "./messages/message-examples.ts";
import { openAlertDatabase } from "./open-alert-database.ts";
import { type NewNotice, Outbox } from "./outbox.ts";
import type { PostOutcome } from "./outgoing/post-safely.ts";
import { retryLimits, sendDue } from "./send-due.ts";

const channel: NamedChannel = { id: "mail", name: "Mail", channel: { kind: "mail", to: ["ada@example.org"] } };
const notice = (key: string, dueAt = 0): NewNotice => ({ key, project: 1, channel: "mail", message: aMessage, dueAt });
const cursor = { project: 1, name: "new-issue", value: 3 };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-alerts-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function opened(path = folder(), clock = { now: 1_000 }) {
  const rows = openAlertDatabase(path);
  onTestFinished(() => rows.close());
  const outbox = new Outbox(rows, () => clock.now);
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
    expect(await one.outbox.add([notice("a")], cursor)).toBe(1);
    expect(await other.outbox.add([notice("a")], cursor)).toBe(0);
    await one.turn();
    await other.turn();
    expect([...one.sent, ...other.sent]).toEqual(["a mail"]);
    expect(await other.outbox.cursor(1, "new-issue")).toBe(3);
    expect(await other.outbox.cursor(2, "new-issue")).toBeUndefined();
  });

  it("tries again with growing pauses through an hour in which the channel fails", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add([notice("a")], cursor);
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

  it("waits as long as a channel asks for, and gives up what it refuses or what is a day old", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add([notice("a")], cursor);
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
    await outbox.add([notice("b")], cursor);
    clock.now += retryLimits.giveUpMs;
    await turn({ kind: "failed", why: "The answer was 503" });
    clock.now += retryLimits.longestMs;
    await turn();
    expect(sent).toHaveLength(3);
  });

  it("sends nothing before its time, and nothing to a channel that was removed", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add([notice("a", 5_000)], cursor);
    await turn();
    expect(sent).toEqual([]);
    clock.now = 5_000;
    await turn({ kind: "sent" }, () => undefined);
    expect(sent).toEqual([]);
    expect((await outbox.channelStates(1)).get("mail")?.failure?.why).toBe("The channel was removed.");
  });

  it("counts what was added in a window, and forgets what ended long ago", async () => {
    const { outbox, sent, turn, clock } = opened();
    await outbox.add([notice("a"), notice("b")], cursor);
    expect([...(await outbox.addedSince(1, 1_000))]).toEqual([["mail", 2]]);
    expect([...(await outbox.addedSince(1, 1_001))]).toEqual([]);
    await turn();
    clock.now += 10;
    await outbox.forgetBefore(clock.now);
    await outbox.add([notice("a")], cursor);
    await turn();
    expect(sent).toEqual(["a mail", "b mail", "a mail"]);
  });
});
