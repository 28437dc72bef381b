import type { IncomingMessage } from "node:http";
import { noRoom, readBody } from "#http";
import type { ServerLimits } from "../../limits.ts";
import type { Action } from "../author/define.ts";
import type { Site } from "../site.ts";
import { readJsonBody } from "./read-json.ts";
import { type FormDeps, type PostedFiles, readMultipart, tooManyFields } from "./read-multipart.ts";

/** The posted body. A refusal has the status of the response. */
export type PostedForm =
  | { kind: "form"; form: FormData; files?: PostedFiles; dispose: () => Promise<void> }
  | { kind: "json"; value: unknown; dispose: () => Promise<void> }
  | { kind: "refused"; status: 400 | 413 | 415 | 503; why: string }
  /** Code of the application could not store a file. */
  | { kind: "failed"; thrown: unknown };

/**
 * Reads the body of an action: a form with or without files, or plain JSON. All limits apply before any code of the
 * application runs.
 */
export async function readForm(incoming: IncomingMessage, site: FormSite, action: FormRules): Promise<PostedForm> {
  const type = (incoming.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  const room = site.posts.open(incoming);
  if (room === undefined) return { kind: "refused", status: 503, why: noRoom };
  const posted = await readKind(type, incoming, {
    ...site,
    limits: limitsFor(action, site.limits),
    uploads: action.uploads,
    room,
  });
  if (posted.kind === "refused" || posted.kind === "failed") room.release();
  return posted;
}

type FormSite = Pick<Site, "limits" | "uploadFolder" | "posts">;

/** What an action says about the forms that it takes. */
export interface FormRules extends Pick<Action, "bodyBytes" | "uploadBytes" | "files"> {
  uploads: FormDeps["uploads"];
}

function limitsFor(action: FormRules, limits: ServerLimits): ServerLimits {
  const { bodyBytes = limits.bodyBytes, uploadBytes = limits.uploadBytes, files = limits.uploadFiles } = action;
  return { ...limits, bodyBytes, uploadBytes, uploadFiles: files };
}

async function readKind(type: string | undefined, incoming: IncomingMessage, deps: FormDeps): Promise<PostedForm> {
  if (type === "multipart/form-data") return readMultipart(incoming, deps);
  if (type !== "application/x-www-form-urlencoded" && type !== "application/json") {
    return { kind: "refused", status: 415, why: "send a form or JSON" };
  }
  const { limits, room } = deps;
  const body = await readBody(incoming, limits.bodyBytes, (bytes) => room.takeMemory(bytes));
  if (body.kind === "refused") return body;
  const dispose = async (): Promise<void> => room.release();
  if (type === "application/json") {
    const json = readJsonBody(body.text, limits);
    return json.kind === "refused" ? json : { ...json, dispose };
  }
  if (hasMoreFields(body.text, limits.formFields)) return tooManyFields(limits.formFields);
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(body.text)) form.append(name, value);
  return { kind: "form", form, dispose };
}

/** Counts in the text, because creating the fields of a form of 1 MiB takes more than a second. */
function hasMoreFields(text: string, atMost: number): boolean {
  let count = 1;
  for (let at = text.indexOf("&"); at >= 0 && count <= atMost; at = text.indexOf("&", at + 1)) count += 1;
  return count > atMost;
}
