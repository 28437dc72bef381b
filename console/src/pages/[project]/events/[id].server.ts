import { load, notFound } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { findFrames } from "../../../server/find-frames.ts";
import { showKept } from "../../../server/kept/show-kept.ts";
import { scopeOf } from "../../../server/scope.ts";
import { showEvent } from "../../../server/show-event.ts";
import { isNew, showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";
import { miniWaterfall } from "../../../server/trace/mini-waterfall.ts";
import { whenFiled } from "../../../server/when-filed.ts";

const longestSearch = 200;

/** By event id, or by digest in any spelling. */
export const data = load("/[project]/events/[id]", async ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const found = await whenFiled(() => api.event(project.id, context.params.id));
  if (!found) notFound();
  const { number, state, events, visitors } = found.issue;
  const now = api.now();
  const [kept, nameOf] = await Promise.all([api.kept(project.id)?.show(found.digest), shownNames()]);
  return {
    now,
    ...findFrames(
      showEvent(found),
      (search.get("frames") ?? "").slice(0, longestSearch),
      search.get("stack") === "unfolded",
    ),
    trace: await miniWaterfall(found),
    issue: { number, state: showState(state, nameOf, isNew(found.issue, now)), events, visitors },
    mayErase: isAtLeast(role, "owner"),
    kept: kept && showKept(kept, { mayChange: isAtLeast(role, "member"), nameOf }),
  };
});
