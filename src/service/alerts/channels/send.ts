import type { AlertMessage } from "../messages/alert-message.ts";
import {
  type OutgoingDeps,
  outgoingLimits,
  type PostOutcome,
  postSafely,
  resolveByDns,
} from "../outgoing/post-safely.ts";
import type { Channel } from "./channel.ts";
import { postFor } from "./http-posts.ts";
import { type MailServer, sendMail } from "./mail.ts";

export interface SenderDeps {
  /** Hosts of the private network that an owner has allowed in a project. */
  readonly allowedHosts: (project: number) => readonly string[];
  readonly mailServer: MailServer | undefined;
  readonly now: () => number;
  readonly resolve?: OutgoingDeps["resolve"];
}

export type SendMessage = (channel: Channel, message: AlertMessage) => Promise<PostOutcome>;

/** Sends a message to a channel. Never rejects because of the channel: its outcome says what is wrong. */
export function createSend({ allowedHosts, mailServer, now, resolve = resolveByDns }: SenderDeps): SendMessage {
  return async (channel, message) => {
    if (channel.kind !== "mail") {
      const outgoing = { allowedHosts: allowedHosts(message.project.id), limits: outgoingLimits, resolve };
      return postSafely(postFor(channel, message, now()), outgoing);
    }
    return mailServer === undefined
      ? { kind: "refused", why: "No mail server is set: HOLDFAST_SMTP and HOLDFAST_MAIL_FROM." }
      : sendMail(mailServer, channel.to, message);
  };
}
