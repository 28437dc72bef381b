import { noStore, send } from "#http";
import type { SubmissionOutcome } from "../../view.ts";
import { problemType, wantsProblemJson, writeProblemJson } from "../problems/problem-json.ts";
import type { Visit } from "../visit.ts";
import { lastResortPage } from "./static-pages.ts";

type Failed = Extract<SubmissionOutcome, { kind: "failed" }>;

/** An outcome that no form of the page shows, with a sentence of its own for the visitor. */
export interface Says {
  kind: "says";
  outcome: Failed;
}

/** Sends a page with nothing but the sentence, the digest and a way back. */
export async function sendSays(visit: Visit, { status, message = "", digest, kept }: Failed): Promise<void> {
  const { site, exchange, request, texts } = visit;
  await visit.durable;
  const isProgram = wantsProblemJson(request.incoming, site.application);
  const language = site.languages?.staticIn(request.incoming, request.origin);
  const title = kept ? texts.keptTitle : texts.formNotTaken;
  const back = request.path + request.search;
  const body = isProgram
    ? writeProblemJson(status, message)
    : lastResortPage({ title, text: message, digest, hasAnswers: site.hasAnswers, back, language });
  const own = ["Content-Type", isProgram ? problemType : "text/html; charset=utf-8", ...noStore, "Vary", "Accept"];
  own.push("Content-Security-Policy", "default-src 'none'; style-src-attr 'unsafe-inline'");
  await send(exchange, { status, headers: [...visit.redirectHeaders(), ...own], body });
}
