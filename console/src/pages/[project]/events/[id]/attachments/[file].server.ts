import { type Locals, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { downloadHeaders } from "../../../../../server/attached-file.ts";
import { scopeOf, wholeNumber } from "../../../../../server/scope.ts";

/** Downloads a file that came with an event. Anyone with the public key can send one, so none is ever opened here. */
export async function GET(
  _request: Request,
  context: { params: { project: string; id: string; file: string }; locals: Locals },
): Promise<Response> {
  const { project } = scopeOf(context);
  const file = wholeNumber(context.params.file) ?? notFound();
  const { filename, bytes } = (await consoleApi().attachment(project.id, context.params.id, file)) ?? notFound();
  return new Response(new Uint8Array(bytes), { headers: downloadHeaders(filename, bytes) });
}
