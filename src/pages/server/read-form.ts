import type { IncomingMessage } from "node:http";
import type { ServerLimits } from "../limits.ts";
import { readBody } from "./read-body.ts";
import { readJson } from "./read-json.ts";
import { readMultipart } from "./read-multipart.ts";

/** What was posted. Refusals carry the status to answer with. */
export type Posted =
  | { kind: "form"; form: FormData; dispose: () => Promise<void> }
  | { kind: "json"; value: unknown; dispose: () => Promise<void> }
  | { kind: "refused"; status: 400 | 413 | 415; why: string };

/** Reads the body of an action: a form with or without files, or plain JSON. Bounded in every direction before any code of the application runs. */
export async function readForm(
  incoming: IncomingMessage,
  limits: ServerLimits,
  uploads: boolean,
  uploadFolder: string,
): Promise<Posted> {
  const type = (incoming.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data") return readMultipart(incoming, limits, uploads, uploadFolder);
  if (type !== "application/x-www-form-urlencoded" && type !== "application/json") {
    return { kind: "refused", status: 415, why: "send a form or JSON" };
  }
  const body = await readBody(incoming, limits.bodyBytes);
  if (body.kind === "refused") return body;
  if (type === "application/json") {
    const json = readJson(body.text, limits);
    return json.kind === "refused" ? json : { ...json, dispose: nothingLeft };
  }
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(body.text)) form.append(name, value);
  return { kind: "form", form, dispose: nothingLeft };
}

async function nothingLeft(): Promise<void> {
  // A body without files leaves nothing behind.
}
