import { notFound, type RequestContext } from "holdfast/server";
import { guideText } from "../../../server/guides.ts";

export function GET(_request: Request, { params }: RequestContext<"/docs/markdown/[guide]">): Response {
  const text = guideText(params.guide) ?? notFound();
  return new Response(text, { headers: { "content-type": "text/markdown; charset=utf-8" } });
}
