import { createHmac } from "node:crypto";
import type { AlertMessage } from "../messages/alert-message.ts";
import { asMarkdown } from "../messages/as-markdown.ts";
import type { OutgoingPost } from "../outgoing/post-safely.ts";

/** Fields are added, and never change their meaning: receivers are programs of others. */
const version = 1;

/**
 * The message as JSON. The header `Holdfast-Signature` is `t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA-256 of
 * `SECONDS.BODY` with the channel's secret.
 */
export function signedWebhook(
  { url, secret }: { url: string; secret: string },
  message: AlertMessage,
  now: number,
): OutgoingPost {
  const body = JSON.stringify({ version, ...message, markdown: asMarkdown(message) });
  const seconds = Math.floor(now / 1_000);
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return {
    url,
    headers: {
      "content-type": "application/json",
      "holdfast-delivery": message.id,
      "holdfast-signature": `t=${seconds},v1=${signature}`,
    },
    body,
  };
}
