import { TimeAgo, useExact } from "../time/time-ago.tsx";
import { Comment, type CommentPart } from "./comment.tsx";

/** A change, in the words of the server. */
export interface ShownChange {
  at: number;
  by: string;
  does: string;
  /** A time that ends the words, in the zone of the reader. */
  until?: number | undefined;
  comment?: readonly CommentPart[] | undefined;
}

/** Changes of an issue by people, by events and by time. */
export function Activity({ history, now }: { history: readonly ShownChange[]; now: number }) {
  const exact = useExact();
  if (history.length === 0) return null;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      <ol className="plain activity">
        {history.map(({ at, by, does, until, comment }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at one end
          <li key={index}>
            <strong>{by}</strong> {does} {until && `${exact(until)} `}
            <TimeAgo at={at} now={now} />
            {comment && (
              <div className="comment">
                <Comment of={comment} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
