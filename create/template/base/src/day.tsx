const format = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** A day, the same on the server and in every browser: in the time zone of neither. */
export function Day({ date }: { date: Date }) {
  return (
    <time className="muted" dateTime={date.toISOString()}>
      {format.format(date)}
    </time>
  );
}
