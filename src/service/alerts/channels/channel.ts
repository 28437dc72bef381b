/** Where messages go. Addresses, tokens and keys are secrets: they are not shown again after they were saved. */
export type Channel =
  | { readonly kind: "mail"; readonly to: readonly string[] }
  /** `secret` signs the body, so that the receiver can tell our requests from others. */
  | { readonly kind: "webhook"; readonly url: string; readonly secret: string }
  | { readonly kind: "slack" | "discord" | "teams" | "mattermost"; readonly url: string }
  | { readonly kind: "telegram"; readonly token: string; readonly chat: string }
  | { readonly kind: "pagerduty"; readonly routingKey: string };

export type HttpChannel = Exclude<Channel, { kind: "mail" }>;
