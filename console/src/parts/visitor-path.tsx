import type { ShownEvent } from "../server/show-event.ts";
import { exactTime } from "./moment.tsx";

/** What the visitor did before, as text on one clock, with the distance to the error. */
export function VisitorPath({
  event: { steps, at, eventId, visitor },
  project,
}: {
  event: ShownEvent;
  project: string;
}) {
  const home = `/_holdfast/${project}`;
  if (steps.length === 0) return null;
  return (
    <section>
      <div className="title-line">
        <h2>What happened before</h2>
        {visitor && <a href={`${home}/live?visitor=${visitor}`}>This visitor in Live</a>}
      </div>
      <ol className="steps">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the path is past and does not change
          <li key={index} className={step.kind === "error" ? "fails" : undefined}>
            <time dateTime={new Date(step.at).toISOString()} title={exactTime(step.at)}>
              {distance(step.at - at)}
            </time>
            <span className="kind">{step.kind}</span>
            <span className="breaks">
              {step.leads && step.leads !== `events/${eventId}` ? (
                <a href={`${home}/${step.leads}`}>{step.text}</a>
              ) : (
                step.text
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function distance(ms: number): string {
  const seconds = Math.abs(ms) / 1_000;
  const text = seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
  return ms > 0 ? `+${text}` : `−${text}`;
}
