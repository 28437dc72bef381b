import { type Locals, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { scopeOf, wholeNumber } from "../../../../../server/scope.ts";

/** Downloads an attachment. It is untrusted, so it is sent without a type and never opened in the browser. */
export async function GET(
  _request: Request,
  context: { params: { project: string; id: string; place: string }; locals: Locals },
): Promise<Response> {
  const { project } = scopeOf(context);
  const place = wholeNumber(context.params.place) ?? notFound();
  const event = await consoleApi().event(project.id, context.params.id);
  const { filename, bytes } = event?.attachments[place - 1] ?? notFound();
  return new Response(new Uint8Array(bytes), {
    headers: {
      "Content-Type": "application/octet-stream",
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(filename.slice(0, 200))}`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
