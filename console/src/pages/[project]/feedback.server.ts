import { action, invalid, load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { mayBePicture } from "../../server/attached-file.ts";
import { visitorId } from "../../server/live-visitors.ts";
import { formOf, textIn } from "../../server/posted.ts";
import { needs, scopeOf, wholeNumber } from "../../server/scope.ts";

const route = "/[project]/feedback";

export const data = load(route, async ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const only = search.get("id")?.slice(0, 100) || undefined;
  const archived = search.get("show") === "archived";
  const before = beforeIn(search);
  const { entries, next } = await api.feedback({ project: project.id, archived, before, only });
  return {
    now: api.now(),
    archived,
    isPart: only !== undefined || before !== undefined,
    mayChange: role !== "viewer",
    next,
    entries: entries.map(({ visitor, ...entry }) => ({
      ...entry,
      visitor: visitor === undefined ? undefined : visitorId(visitor),
      attachments: entry.attachments.map((file) => ({
        ...file,
        hasPreview: mayBePicture(file.contentType, file.size),
      })),
    })),
  };
});

/** The last entry of the page before. */
function beforeIn(search: URLSearchParams): { at: number; id: number } | undefined {
  const [at, id] = (search.get("before") ?? "").split("-").map(wholeNumber);
  return at === undefined || id === undefined ? undefined : { at, id };
}

export const actions = {
  change: action({ route }, async ({ input, ...context }) => {
    const scope = scopeOf(context);
    needs(scope, "member");
    const form = formOf(input);
    const id = wholeNumber(textIn(form, "id")) ?? invalid({ "": "Choose an entry." });
    const wish = textIn(form, "do");
    if (wish !== "archive" && wish !== "open") invalid({ "": `There is nothing called "${wish}" to do.` });
    await consoleApi().changeFeedback(scope.project.id, [id], wish === "archive");
    return { said: wish === "archive" ? "Archived." : "Open again." };
  }),
};
