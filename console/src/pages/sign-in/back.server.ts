import type { RequestContext } from "holdfast/server";
import { comeBack } from "../../server/sign-in/provider-routes.ts";

export function GET(_request: Request, context: RequestContext<"/sign-in/back">): Promise<Response> {
  return comeBack(context);
}
