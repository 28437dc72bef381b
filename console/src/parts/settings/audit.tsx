import { TimeAgo } from "../time/time-ago.tsx";

interface Entry {
  at: number;
  by: string;
  what: string;
}

/** The audit log. Each issue shows its own changes. */
export function Audit({ entries, now }: { entries: readonly Entry[]; now: number }) {
  return (
    <section aria-labelledby="audit">
      <h2 id="audit">Who decided what, and who was refused</h2>
      {entries.length === 0 ? (
        <p className="second">Nothing has been decided yet.</p>
      ) : (
        <ol className="plain activity">
          {entries.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added
            <li key={index}>
              <strong>{entry.by}</strong> <span className="breaks">{entry.what}</span>{" "}
              <TimeAgo at={entry.at} now={now} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
