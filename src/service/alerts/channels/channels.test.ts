import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { aMessage } from "../messages/message-examples.ts";
import type { HttpChannel } from "./channel.ts";
import { postFor } from "./http-posts.ts";

const hostile = {
  ...aMessage,
  title: `<!channel> @everyone </pre> ${"x".repeat(10_000)}`,
  source: { file: "a.ts:1", lines: [{ number: 1, text: `\`\`\`${"<b>&".repeat(5_000)}`, isFailing: true }] },
};

const url = "https://hooks.example/T1/x";
const channels: readonly HttpChannel[] = [
  { kind: "slack", url },
  { kind: "discord", url },
  { kind: "teams", url },
  { kind: "mattermost", url },
  { kind: "telegram", token: "12:ab", chat: "-100" },
  { kind: "pagerduty", routingKey: "a".repeat(32) },
];

const bodyOf = (channel: HttpChannel, message = aMessage) => JSON.parse(postFor(channel, message, 0).body);

describe("a message for a channel", () => {
  it.each(channels.map((channel) => [channel.kind, channel] as const))(
    "%s has title, line, digest and link",
    (_kind, channel) => {
      const { body } = postFor(channel, aMessage, 0);
      for (const part of ["reading", "cart.items.length", "7K2M-9QXC", aMessage.link, "/cart", "shop@2.4.1"])
        expect(JSON.parse(JSON.stringify(body))).toContain(part);
    },
  );

  it("keeps within the limits of Slack, and notifies nobody", () => {
    const { text, blocks } = bodyOf({ kind: "slack", url }, hostile);
    expect(text).not.toContain("<!channel>");
    for (const { text: section } of blocks) if (section) expect(section.text.length).toBeLessThanOrEqual(3_000);
  });

  it("keeps within the limits of Discord, and notifies nobody", () => {
    const { embeds, allowed_mentions } = bodyOf({ kind: "discord", url }, hostile);
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(embeds[0].title.length).toBeLessThanOrEqual(256);
    expect(embeds[0].description.length).toBeLessThanOrEqual(4_096);
  });

  it("keeps within the limits of Telegram, and all its tags are closed", () => {
    const { text } = bodyOf({ kind: "telegram", token: "12:ab", chat: "-100" }, hostile);
    expect(text.replaceAll(/<[^>]*>/g, "").replaceAll(/&\w+;/g, "&").length).toBeLessThanOrEqual(4_096);
    expect(text.match(/<pre>/g)).toHaveLength(1);
    expect(text.match(/<\/pre>/g)).toHaveLength(1);
  });

  it("opens one incident of PagerDuty for all messages about one issue", () => {
    const body = bodyOf({ kind: "pagerduty", routingKey: "a".repeat(32) });
    expect(body).toMatchObject({ event_action: "trigger", dedup_key: aMessage.about, payload: { severity: "error" } });
  });

  it("has a signature over time and body for a webhook", () => {
    const { headers, body } = postFor({ kind: "webhook", url, secret: "s3cret" }, aMessage, 1_700_000_000_999);
    const [, seconds = "", signature] = /^t=(\d+),v1=(\w{64})$/.exec(headers["holdfast-signature"] ?? "") ?? [];
    expect(seconds).toBe("1700000000");
    expect(signature).toBe(createHmac("sha256", "s3cret").update(`${seconds}.${body}`).digest("hex"));
    expect(JSON.parse(body)).toMatchObject({ version: 1, digest: aMessage.digest, markdown: expect.any(String) });
  });
});
