import { exactTime } from "./moment.tsx";

interface Step {
  at: number;
  kind: string;
  text: string;
}

/** What the visitor did before, as text on one clock, with the distance to the error. */
export function VisitorPath({ steps, at }: { steps: readonly Step[]; at: number }) {
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>What happened before</h2>
      <ol className="steps">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the path is past and does not change
          <li key={index} className={step.kind === "error" ? "fails" : undefined}>
            <time dateTime={new Date(step.at).toISOString()} title={exactTime(step.at)}>
              {distance(step.at - at)}
            </time>
            <span className="kind">{step.kind}</span>
            <span className="breaks">{step.text}</span>
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
