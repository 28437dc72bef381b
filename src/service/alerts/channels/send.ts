import type { AlertMessage } from "../messages/alert-message.ts";
import { type OutgoingDeps, type PostOutcome, postSafely } from "../outgoing/post-safely.ts";
import type { Channel } from "./channel.ts";
import { postFor } from "./http-posts.ts";
import { type MailServer, sendMail } from "./mail.ts";

export interface SendDeps {
  readonly outgoing: OutgoingDeps;
  readonly mailServer: MailServer | undefined;
  readonly now: () => number;
}

export async function send(channel: Channel, message: AlertMessage, deps: SendDeps): Promise<PostOutcome> {
  if (channel.kind !== "mail") return postSafely(postFor(channel, message, deps.now()), deps.outgoing);
  if (deps.mailServer === undefined)
    return { kind: "refused", why: "No mail server is set: HOLDFAST_SMTP and HOLDFAST_MAIL_FROM." };
  return sendMail(deps.mailServer, channel.to, message);
}
