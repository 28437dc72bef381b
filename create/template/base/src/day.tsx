const format = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** A day in UTC, so that the server and every browser show the same. */
export function Day({ date }: { date: Date }) {
  return (
    <time className="muted" dateTime={date.toISOString()}>
      {format.format(date)}
    </time>
  );
}
