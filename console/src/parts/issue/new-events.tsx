import { href, revalidate } from "holdfast";
import { useEffect, useState } from "react";
import { many } from "../charts/numbers.ts";

const askEveryMs = 4_000;

/** Announces new events, and leaves the rows unchanged until the reader loads them. */
export default function NewEvents({
  project,
  filter,
  newest,
}: {
  project: string;
  filter: string;
  newest: number | undefined;
}) {
  const [news, setNews] = useState({ events: 0, issues: 0, since: newest });
  useEffect(() => {
    const search = new URLSearchParams({ q: filter, after: String(newest ?? 0) });
    const ask = async (): Promise<void> => {
      const answer = await fetch(`${href("/")}/api/v1/projects/${project}/issues/news?${search}`);
      if (!answer.ok) return;
      const { events, issues }: { events: number; issues: number } = await answer.json();
      setNews({ events, issues, since: newest });
    };
    const clock = setInterval(() => {
      // Without a connection there are no new events. The next turn requests again.
      if (document.visibilityState === "visible") ask().catch(() => undefined);
    }, askEveryMs);
    return () => clearInterval(clock);
  }, [project, filter, newest]);
  if (news.events === 0 || news.since !== newest) return null;
  return (
    <p className="floats news" role="status">
      {news.events >= 200 ? "200 or more new events" : many(news.events, "new event")} in {many(news.issues, "issue")}
      <button type="button" className="quiet" onClick={() => void revalidate()} data-key=".">
        Show <kbd>.</kbd>
      </button>
    </p>
  );
}
