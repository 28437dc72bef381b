import type { IncomingMessage } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { isFromOwnPage, readBody } from "#http";
import type { ServerReporting } from "#reporting";
import { consolePath } from "#service";
import type { Mount } from "../enter.ts";
import { type FormReply, refusedBody, type SendReply } from "./form-reply.ts";

/** Enough for a page of text in any script. */
const noteBytes = 16_384;

/** Limits of one client: a person writes a few notes, and a flood would displace those of others. */
const notesAtOnce = 10;
const notesPerSecond = 0.1;

export interface NoteMountDeps {
  reporting: Pick<ServerReporting, "keepNote">;
  clientOf: (incoming: IncomingMessage) => string;
  refusals: Refusals;
  reply: SendReply;
}

/** Accepts the note that a visitor writes on the error page, and stores it with its digest. Works without scripts. */
export function createNoteMount({ reporting, clientOf, refusals, reply }: NoteMountDeps): Mount {
  const notes = new TokenBuckets(notesAtOnce, notesPerSecond);
  return {
    path: `${consolePath}/note`,
    handle: async (incoming, response) => {
      const answer = (said: FormReply): Promise<void> => reply({ incoming, response }, said);
      if (incoming.method !== "POST") return answer({ status: 405, text: "refusedMethod" });
      if (isFromOwnPage(incoming) === false) return answer({ status: 403, text: "refusedSite" });
      const seconds = notes.take(sourceOf(clientOf(incoming)), performance.now());
      if (seconds > 0) {
        refusals.add("notes");
        return answer({ status: 429, title: "notSent", text: "sentTooOften", seconds });
      }
      const body = await readBody(incoming, noteBytes);
      if (body.kind === "refused") return answer(refusedBody(body.status));
      const form = new URLSearchParams(body.text);
      const note = (form.get("note") ?? "").trim();
      if (note === "") return answer({ status: 422, title: "notSent", text: "noText" });
      switch (await reporting.keepNote(form.get("digest") ?? "", note)) {
        case "kept":
          return answer({ status: 200, title: "thanks", text: "noteKept" });
        case "no-room":
          return answer({ status: 503, title: "notSent", text: "notKeptNow" });
        default:
          return answer({ status: 422, title: "notSent", text: "notTaken" });
      }
    },
  };
}
