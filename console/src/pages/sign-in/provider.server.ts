import type { RequestContext } from "holdfast/server";
import { goToProvider } from "../../server/sign-in/provider-routes.ts";

export function GET(_request: Request, context: RequestContext<"/sign-in/provider">): Promise<Response> {
  return goToProvider(context);
}
