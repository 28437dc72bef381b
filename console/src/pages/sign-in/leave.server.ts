import type { RequestContext } from "holdfast/server";
import { leaveProvider } from "../../server/sign-in/provider-routes.ts";

export function GET(_request: Request, context: RequestContext<"/sign-in/leave">): Promise<Response> {
  return leaveProvider(context);
}
