import { events } from "holdfast/server";
import { lamps } from "../../../server/lamps.ts";

/** The changes as server-sent events. `after` is the last one that the page was rendered with. */
export function GET(request: Request): Response {
  const rendered = new URL(request.url).searchParams.get("after");
  return events(async function* ({ lastEventId, signal }) {
    const news = lamps.news.messages({ signal });
    let last = Number(lastEventId ?? rendered) || 0;
    for (const change of lamps.since(last)) {
      last = change.id;
      yield { id: last, data: change };
    }
    for await (const one of news) {
      if (!("change" in one) || one.change.id <= last) continue;
      last = one.change.id;
      yield { id: last, data: one.change };
    }
  });
}
