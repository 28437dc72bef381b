import { createHash } from "node:crypto";
import { messageOf } from "#errors";
import { serviceErrors } from "../../errors.ts";
import { type AlertMessage, cut } from "../messages/alert-message.ts";
import { asHtml } from "../messages/as-html.ts";
import { asText } from "../messages/as-text.ts";
import type { PostOutcome } from "../outgoing/post-safely.ts";

/** Set by the operator of the service, not by owners of projects: a mail server is often inside the network. */
export interface MailServer {
  /** `smtp://user:password@host:587`, or `smtps://…`. */
  readonly url: string;
  readonly from: string;
}

export interface MailLimits {
  /** For connecting and for every answer of the server. */
  readonly timeoutMs: number;
}

export const mailLimits: MailLimits = { timeoutMs: 15_000 };

/** As much of `nodemailer` as is used. */
interface Mailer {
  createTransport(url: string, defaults: object): Transport;
}

interface Transport {
  sendMail(mail: object): Promise<unknown>;
  close(): void;
}

/** Reads the settings of the environment. Undefined: mails cannot be sent. */
export function mailServerOf(environment: NodeJS.ProcessEnv): MailServer | undefined {
  return hasMailServer(environment) ? { url: read.url(environment), from: read.from(environment) } : undefined;
}

/** Each setting needs the other one. */
function hasMailServer({ HOLDFAST_SMTP, HOLDFAST_MAIL_FROM }: NodeJS.ProcessEnv): boolean {
  return !!(HOLDFAST_SMTP || HOLDFAST_MAIL_FROM);
}

/** What of a mail server may be wrong by itself. */
const read = {
  url: ({ HOLDFAST_SMTP: text = "" }: NodeJS.ProcessEnv) => {
    if (URL.canParse(text) && /^smtps?:\/\/[^/]/.test(text)) return text;
    throw serviceErrors.wrongMailServer();
  },
  from: ({ HOLDFAST_MAIL_FROM: text = "" }: NodeJS.ProcessEnv) => {
    if (text.includes("@")) return text;
    throw serviceErrors.wrongMailFrom();
  },
};

/** So that a start can name all that is wrong. */
export const mailReaders: readonly ((environment: NodeJS.ProcessEnv) => unknown)[] = Object.values(read).map(
  (one) => (environment) => hasMailServer(environment) && one(environment),
);

/** Sends one mail to all recipients. */
export async function sendMail(
  server: MailServer,
  to: readonly string[],
  message: AlertMessage,
  limits: MailLimits = mailLimits,
): Promise<PostOutcome> {
  const mailer = await loadMailer();
  if (mailer === undefined)
    return { kind: "refused", why: "Mails need the package nodemailer: npm install nodemailer" };
  const { timeoutMs } = limits;
  const transport = mailer.createTransport(server.url, {
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await transport.sendMail(mailOf(server, to, message));
    return { kind: "sent" };
  } catch (error) {
    return outcomeOf(error);
  } finally {
    transport.close();
  }
}

function mailOf({ from }: MailServer, to: readonly string[], message: AlertMessage): object {
  const host = /@([\w.-]+)/.exec(from)?.[1] ?? "holdfast.invalid";
  const nameOf = (text: string): string => `<${createHash("sha256").update(text).digest("hex").slice(0, 32)}@${host}>`;
  return {
    from,
    to,
    // A line break would end the header.
    subject: cut(`[${message.project.name}] ${message.reason}: ${message.title}`.replaceAll(/\s+/g, " "), 200),
    text: asText(message),
    html: asHtml(message),
    // Ids of messages have spaces and slashes, which a mail's must not have (RFC 5322, section 3.6.4).
    messageId: nameOf(message.id),
    // Mail programs show messages about one issue together, and out-of-office notes do not answer.
    headers: { References: nameOf(message.about), "Auto-Submitted": "auto-generated" },
  };
}

/** The name is a value, so that no bundler follows. */
async function loadMailer(): Promise<Mailer | undefined> {
  const name: string = "nodemailer";
  try {
    const { default: mailer } = (await import(name)) as { default: Mailer };
    return mailer;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** A server says 4xx for now and 5xx for good (RFC 5321, section 4.2.1). */
function outcomeOf(error: unknown): PostOutcome {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  const why = `The mail server: ${cut(messageOf(error).replaceAll(/\s+/g, " "), 200)}`;
  const isForGood = typeof responseCode === "number" ? responseCode >= 500 : code === "EAUTH" || code === "EENVELOPE";
  return isForGood ? { kind: "refused", why } : { kind: "failed", why };
}
