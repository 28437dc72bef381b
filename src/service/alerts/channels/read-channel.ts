import { isObject } from "#protocol";
import type { Channel } from "./channel.ts";

/** Recipients of one channel. A longer list belongs on the mail server. */
export const mostRecipients = 20;
const longestText = 2_000;

export type ReadChannel =
  | { readonly kind: "channel"; readonly channel: Channel }
  /** `field` is the name of the value that is missing or wrong. */
  | { readonly kind: "problem"; readonly field: string; readonly why: string };

/** Reads a channel that was stored or typed in. */
export function readChannel(value: unknown): ReadChannel {
  const stated = isObject(value) ? value : {};
  const text = (name: string): string => {
    const one = stated[name];
    return typeof one === "string" ? one.trim().slice(0, longestText) : "";
  };
  switch (stated.kind) {
    case "mail":
      return mailTo(stated.to);
    case "webhook":
      return withUrl(text("url"), (url) =>
        text("secret").length >= 16
          ? found({ kind: "webhook", url, secret: text("secret") })
          : problem("secret", "At least 16 characters, which the receiver knows too."),
      );
    case "slack":
    case "discord":
    case "teams":
    case "mattermost": {
      const { kind } = stated;
      return withUrl(text("url"), (url) => found({ kind, url }));
    }
    case "telegram":
      if (!/^\d+:[\w-]+$/.test(text("token"))) return problem("token", "A token of a bot, such as 123456:ABC-DEF.");
      return text("chat") === ""
        ? problem("chat", "The number of a chat, or the @name of a public channel.")
        : found({ kind: "telegram", token: text("token"), chat: text("chat") });
    case "pagerduty":
      return /^\w{16,64}$/.test(text("routingKey"))
        ? found({ kind: "pagerduty", routingKey: text("routingKey") })
        : problem("routingKey", "The integration key of a service, 32 letters and digits.");
    default:
      return problem("kind", "Choose a kind of channel.");
  }
}

function found(channel: Channel): ReadChannel {
  return { kind: "channel", channel };
}

function problem(field: string, why: string): ReadChannel {
  return { kind: "problem", field, why };
}

function mailTo(value: unknown): ReadChannel {
  const stated = Array.isArray(value) ? value : [];
  const to = stated.filter((address): address is string => typeof address === "string").map((one) => one.trim());
  const wrong = to.find((address) => !/^[^\s@,<>"]+@[^\s@,<>"]+$/.test(address) || address.length > 254);
  if (wrong !== undefined) return problem("to", `${wrong.slice(0, 80)} is no e-mail address.`);
  if (to.length === 0) return problem("to", "Give at least one e-mail address.");
  if (to.length > mostRecipients) return problem("to", `At most ${mostRecipients} addresses.`);
  return found({ kind: "mail", to });
}

function withUrl(text: string, then: (url: string) => ReadChannel): ReadChannel {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    return problem("url", "An address that begins with https:// or http://");
  return url.username === "" && url.password === ""
    ? then(text)
    : problem("url", "An address without a user name and password.");
}
