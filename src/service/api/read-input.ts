import { apiErrors } from "./errors.ts";
import { type Refused, refuseCall } from "./problem.ts";
import type { AnyRoute } from "./route.ts";
import { type CheckedValue, checkBySchema } from "./schema/check.ts";
import { readTexts } from "./schema/read-texts.ts";

export type JsonBody = { readonly kind: "json"; readonly value: unknown } | Refused;

/** Reads the parameters of a path or search. Without a schema there must be none. */
export function readParameters(
  schema: AnyRoute["query"],
  given: URLSearchParams,
): { readonly kind: "valid"; readonly value: unknown } | Refused {
  const read: CheckedValue<unknown> = readTexts(schema ?? { type: "object" }, given);
  return read.kind === "valid"
    ? read
    : refuseCall(400, apiErrors.invalid(named(read.path), read.why), { path: read.path });
}

/** Reads the body by its schema. Bytes are counted as they arrive, since `Content-Length` is only a claim. */
export async function readInputBody(
  request: Request,
  schema: AnyRoute["body"],
  mostBytes: number,
): Promise<{ readonly kind: "valid"; readonly value: unknown } | Refused> {
  if (schema === undefined) return { kind: "valid", value: undefined };
  const body = await readJson(request, mostBytes);
  if (body.kind === "refused") return body;
  const read: CheckedValue<unknown> = checkBySchema(schema, body.value);
  return read.kind === "valid"
    ? read
    : refuseCall(422, apiErrors.invalid(named(read.path, "The body"), read.why), { path: read.path });
}

async function readJson(request: Request, mostBytes: number): Promise<JsonBody> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return refuseCall(415, apiErrors.notJson());
  const text = await readText(request, mostBytes);
  if (text === undefined)
    return refuseCall(413, apiErrors.bodyTooLarge(mostBytes), { headers: { Connection: "close" } });
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return refuseCall(400, apiErrors.notJson());
  }
}

/** Undefined if the body is too large. */
async function readText({ body }: Request, mostBytes: number): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function named(path: string, otherwise = "A parameter"): string {
  return path === "" ? otherwise : path;
}
