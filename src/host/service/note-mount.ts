import type { IncomingMessage } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { constantHeaders, drainBody, isFromOwnPage, readBody, send } from "#http";
import { lastResortPage } from "#pages";
import type { ServerReporting } from "#reporting";
import { consolePath } from "#service";
import type { Mount } from "../enter.ts";
import { pageOf } from "./sending-page.ts";

/** Enough for a page of text in any script. */
const noteBytes = 16_384;

/** Limits of one client: a person writes a few notes, and a flood would displace those of others. */
const notesAtOnce = 10;
const notesPerSecond = 0.1;

export interface NoteMountDeps {
  reporting: Pick<ServerReporting, "keepNote">;
  clientOf: (incoming: IncomingMessage) => string;
  refusals: Refusals;
}

/** Accepts the note that a visitor writes on the error page, and stores it with its digest. Works without scripts. */
export function createNoteMount({ reporting, clientOf, refusals }: NoteMountDeps): Mount {
  const notes = new TokenBuckets(notesAtOnce, notesPerSecond);
  return {
    path: `${consolePath}/note`,
    handle: async (incoming, response) => {
      const answer = async (status: number, title: string, text: string): Promise<void> => {
        await drainBody(incoming);
        const headers = [...constantHeaders, "Content-Type", "text/html; charset=utf-8", "Cache-Control", "no-store"];
        const body = lastResortPage({ title, text, back: pageOf(incoming) ?? "/" });
        await send({ incoming, response }, { status, headers, body });
      };
      if (incoming.method !== "POST")
        return answer(405, "Refused (405)", "Notes are sent with the form of an error page.");
      if (isFromOwnPage(incoming) === false) return answer(403, "Refused (403)", "Another site sent this note.");
      const wait = notes.take(sourceOf(clientOf(incoming)), performance.now());
      if (wait > 0) {
        refusals.add("notes");
        response.setHeader("Retry-After", wait);
        return answer(429, "Note not sent", `Too many notes came from your address. Please try again in ${wait} s.`);
      }
      const body = await readBody(incoming, noteBytes);
      if (body.kind === "refused")
        return answer(body.status, `Refused (${body.status})`, `The note was not taken: ${body.why}.`);
      const form = new URLSearchParams(body.text);
      const note = (form.get("note") ?? "").trim();
      const outcome = note === "" ? "no-text" : await reporting.keepNote(form.get("digest") ?? "", note);
      switch (outcome) {
        case "kept":
          return answer(200, "Thank you", "Your note was kept with the error it belongs to.");
        case "no-room":
          return answer(503, "Note not sent", "The note could not be kept. Please try again later.");
        default:
          return answer(422, "Note not sent", "The note has no text, or names no digest.");
      }
    },
  };
}
