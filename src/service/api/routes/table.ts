import { ok, type Routes } from "../route.ts";
import { open } from "../schema/schema.ts";
import { writeOpenApi } from "../write-open-api.ts";
import { accountRoutes } from "./account-routes.ts";
import { alertRoutes } from "./alert-routes.ts";
import { erasureRoutes } from "./erasure-routes.ts";
import { eventRoutes } from "./event-routes.ts";
import { insightRoutes } from "./insight-routes.ts";
import { intakeRoutes } from "./intake-routes.ts";
import { issueRoutes } from "./issue-routes.ts";
import { loginRoutes } from "./login-routes.ts";
import { operateRoutes } from "./operate-routes.ts";
import { ownershipRoutes } from "./ownership-routes.ts";
import { portableRoutes } from "./portable-routes.ts";
import { projectRoutes } from "./project-routes.ts";
import { reportRoutes } from "./report-routes.ts";
import { savedRoutes } from "./saved-routes.ts";

/** Written once: the table does not change. */
let description: object | undefined;

/** Every route of the API. A new one is a line in `operations/`, and an entry in one of these lists. */
export const apiRoutes: Routes = {
  "GET /openapi.json": {
    summary: "This description of the API, in the OpenAPI 3.1 format.",
    needs: undefined,
    response: open("OpenApi", "An OpenAPI document."),
    handle: async () => {
      description ??= writeOpenApi(apiRoutes);
      return ok(description);
    },
  },
  ...loginRoutes,
  ...accountRoutes,
  ...projectRoutes,
  ...issueRoutes,
  ...eventRoutes,
  ...reportRoutes,
  ...alertRoutes,
  ...insightRoutes,
  ...intakeRoutes,
  ...ownershipRoutes,
  ...operateRoutes,
  ...erasureRoutes,
  ...portableRoutes,
  ...savedRoutes,
};
