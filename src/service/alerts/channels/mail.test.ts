import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { aMessage } from "../messages/message-examples.ts";
import { mailServerOf, sendMail } from "./mail.ts";

interface Mail {
  to: string[];
  text: string;
}

/** A real server for mails. `refuse` is its answer to a recipient. */
async function mailServer(refuse?: { code: number; message: string }): Promise<{ url: string; mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address: unknown, _session: unknown, callback: (error?: Error) => void) =>
      callback(refuse && Object.assign(new Error(refuse.message), { responseCode: refuse.code })),
    onData: (
      stream: NodeJS.ReadableStream,
      session: { envelope: { rcptTo: { address: string }[] } },
      callback: () => void,
    ) => {
      let text = "";
      stream.on("data", (piece: Buffer) => {
        text += piece;
      });
      stream.on("end", () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, mails };
}

const from = "Holdfast <errors@shop.example>";

describe("a mail", () => {
  it("arrives once, with both forms, and in the thread of its issue", async () => {
    const { url, mails } = await mailServer();
    const to = ["ada@example.org", "max@example.org"];
    expect(await sendMail({ url, from }, to, aMessage)).toEqual({ kind: "sent" });
    expect(mails.map((mail) => mail.to)).toEqual([to]);
    const [mail] = mails;
    expect(mail?.text).toContain("Subject: [Shop] New issue: TypeError: Cannot read properties of undefined");
    expect(mail?.text).toMatch(/Content-Type: multipart\/alternative/);
    expect(mail?.text).toMatch(/References: <[0-9a-f]{32}@shop\.example>/);
    expect(mail?.text).toMatch(/Message-ID: <[0-9a-f]{32}@shop\.example>/);
    expect(mail?.text).toContain("Auto-Submitted: auto-generated");
  });

  it("has one subject line, whatever the error contains", async () => {
    const { url, mails } = await mailServer();
    await sendMail({ url, from }, ["ada@example.org"], {
      ...aMessage,
      title: "x\r\nBcc: all@example.org\r\n\r\nhello",
    });
    const [head = ""] = mails[0]?.text.split("\r\n\r\n") ?? [];
    expect(head).not.toMatch(/^Bcc:/m);
    expect(mails[0]?.to).toEqual(["ada@example.org"]);
  });

  it("is tried again or given up, as the server says", async () => {
    const busy = await mailServer({ code: 451, message: "Try again later" });
    expect(await sendMail({ url: busy.url, from }, ["ada@example.org"], aMessage)).toMatchObject({ kind: "failed" });
    const unknown = await mailServer({ code: 550, message: "No such user" });
    expect(await sendMail({ url: unknown.url, from }, ["ada@example.org"], aMessage)).toMatchObject({
      kind: "refused",
    });
    const nowhere = { url: "smtp://127.0.0.1:1", from };
    expect(await sendMail(nowhere, ["ada@example.org"], aMessage)).toMatchObject({ kind: "failed" });
  });

  it("needs an address of a server and a sender", () => {
    expect(mailServerOf({})).toBeUndefined();
    expect(() => mailServerOf({ HOLDFAST_SMTP: "smtp://mail" })).toThrow("[service-wrong-mail-from]");
    expect(() => mailServerOf({ HOLDFAST_SMTP: "mail:25", HOLDFAST_MAIL_FROM: from })).toThrow(
      "[service-wrong-mail-server]",
    );
    expect(mailServerOf({ HOLDFAST_SMTP: "smtp://mail", HOLDFAST_MAIL_FROM: from })).toEqual({
      url: "smtp://mail",
      from,
    });
  });
});
