import type { AlertMessage } from "../messages/alert-message.ts";
import type { OutgoingPost } from "../outgoing/post-safely.ts";
import type { HttpChannel } from "./channel.ts";
import { discordBody } from "./discord.ts";
import { mattermostBody } from "./mattermost.ts";
import { pagerDutyBody } from "./pagerduty.ts";
import { slackBody } from "./slack.ts";
import { teamsBody } from "./teams.ts";
import { telegramBody } from "./telegram.ts";
import { signedWebhook } from "./webhook.ts";

/** The request that sends a message to a channel. `now` is signed, so that an old request cannot be sent again. */
export function postFor(channel: HttpChannel, message: AlertMessage, now: number): OutgoingPost {
  switch (channel.kind) {
    case "webhook":
      return signedWebhook(channel, message, now);
    case "slack":
      return json(channel.url, slackBody(message));
    case "discord":
      return json(channel.url, discordBody(message));
    case "teams":
      return json(channel.url, teamsBody(message));
    case "mattermost":
      return json(channel.url, mattermostBody(message));
    case "telegram":
      return json(`https://api.telegram.org/bot${channel.token}/sendMessage`, telegramBody(channel.chat, message));
    case "pagerduty":
      return json("https://events.pagerduty.com/v2/enqueue", pagerDutyBody(channel.routingKey, message));
  }
}

function json(url: string, body: object): OutgoingPost {
  return { url, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
