import { open } from "node:fs/promises";
import path from "node:path";
import { constantHeaders, lastResortPage, readBody } from "#pages";
import { digestOf, jsonItem, newEventId, readDigest, writeEnvelope } from "#protocol";
import type { Mount } from "./node-server.ts";

/** Enough for a page of text in any script. */
const noteBytes = 16_384;

/** Takes the note that a visitor writes on the error page, and keeps it with the digest it belongs to. Works without scripts. */
export function createNoteMount(folder: string): Mount {
  return {
    path: "/_holdfast/note",
    handle: async (incoming, response) => {
      const answer = (status: number, title: string, text: string): void => {
        const html = lastResortPage(title, text, undefined);
        response
          .writeHead(status, [
            ...constantHeaders,
            "Content-Type",
            "text/html; charset=utf-8",
            "Cache-Control",
            "no-store",
            "Content-Length",
            String(Buffer.byteLength(html)),
          ])
          .end(html);
      };
      if (incoming.method !== "POST")
        return answer(405, "Refused (405)", "Notes are sent with the form of an error page.");
      if (incoming.headers["sec-fetch-site"] !== undefined && incoming.headers["sec-fetch-site"] !== "same-origin")
        return answer(403, "Refused (403)", "Another site sent this note.");
      const body = await readBody(incoming, noteBytes);
      if (body.kind === "refused")
        return answer(body.status, `Refused (${body.status})`, `The note was not taken: ${body.why}.`);
      const form = new URLSearchParams(body.text);
      const start = readDigest(form.get("digest") ?? "");
      const note = (form.get("note") ?? "").trim();
      if (start === undefined || note === "")
        return answer(422, "Note not sent", "The note has no text, or names no digest.");
      await keep(folder, digestOf(start.padEnd(32, "0")), note);
      answer(200, "Thank you", "Your note was kept with the error it belongs to.");
    },
  };
}

async function keep(folder: string, digest: string, note: string): Promise<void> {
  const id = newEventId();
  const feedback = {
    event_id: id,
    timestamp: Date.now() / 1000,
    contexts: { feedback: { message: note, source: "error-page" } },
    tags: { digest },
  };
  const handle = await open(path.join(folder, `${id}.envelope`), "wx", 0o600);
  try {
    await handle.writeFile(writeEnvelope({ eventId: id }, [jsonItem("feedback", feedback)]));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
