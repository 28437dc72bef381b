export interface ChannelField {
  readonly name: string;
  readonly label: string;
  readonly type: "text" | "url" | "password";
  readonly hint: string;
  /** It is not shown again: left empty, it stays as it is. */
  readonly isSecret: boolean;
}

export interface ChannelKind {
  readonly kind: string;
  readonly name: string;
  readonly fields: readonly ChannelField[];
}

const hook = (hint: string): ChannelField => ({
  name: "url",
  label: "Address of the webhook",
  type: "url",
  hint,
  isSecret: true,
});

/** Kinds of channels, in the order in which they are offered. */
export const channelKinds: readonly ChannelKind[] = [
  {
    kind: "mail",
    name: "E-mail",
    fields: [
      { name: "to", label: "Addresses", type: "text", hint: "ada@example.org max@example.org", isSecret: false },
    ],
  },
  { kind: "slack", name: "Slack", fields: [hook("https://hooks.slack.com/services/…")] },
  { kind: "teams", name: "Teams", fields: [hook("https://….logic.azure.com/workflows/…")] },
  { kind: "discord", name: "Discord", fields: [hook("https://discord.com/api/webhooks/…")] },
  { kind: "mattermost", name: "Mattermost", fields: [hook("https://chat.example.org/hooks/…")] },
  {
    kind: "telegram",
    name: "Telegram",
    fields: [
      { name: "token", label: "Token of the bot", type: "password", hint: "123456:ABC-DEF…", isSecret: true },
      { name: "chat", label: "Chat", type: "text", hint: "-1001234567890", isSecret: false },
    ],
  },
  {
    kind: "pagerduty",
    name: "PagerDuty",
    fields: [{ name: "routingKey", label: "Integration key", type: "password", hint: "32 characters", isSecret: true }],
  },
  {
    kind: "webhook",
    name: "Webhook",
    fields: [
      hook("https://example.org/alerts"),
      { name: "secret", label: "Secret for its signature", type: "password", hint: "16 or more", isSecret: true },
    ],
  },
];
