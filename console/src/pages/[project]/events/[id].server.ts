import { load, notFound } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { miniWaterfall } from "../../../server/mini-waterfall.ts";
import { scopeOf } from "../../../server/scope.ts";
import { showEvent } from "../../../server/show-event.ts";
import { whenFiled } from "../../../server/when-filed.ts";

/** By event id, or by digest in any spelling. */
export const data = load("/[project]/events/[id]", async (context) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const found = await whenFiled(() => api.event(project.id, context.params.id));
  if (!found) notFound();
  const { number, state, events, visitors } = found.issue;
  return {
    now: api.now(),
    event: showEvent(found),
    trace: await miniWaterfall(found),
    issue: { number, state, events, visitors },
  };
});
