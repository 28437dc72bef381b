import { href } from "holdfast";
import type { ShownVisit, ShownVisitStep } from "../../server/show-visitor.ts";
import { many, milliseconds, styleShare } from "../charts/numbers.ts";
import { ReleaseLink } from "../release/release-link.tsx";
import { exactTime, useExact } from "../time/time-ago.tsx";

/** One visit: when and with what, its pages as a strip, and its steps. */
export function VisitBox({ visit, project }: { visit: ShownVisit; project: string }) {
  const { from, to, releases, devices, parts } = visit;
  const began = exactTime(from);
  const local = useExact()(from);
  return (
    <article className="visit" data-row="">
      <header>
        <h3>
          <time dateTime={began.replace(" UTC", "Z")} title={began}>
            {`${local.slice(0, 10)}, ${local.slice(11, 16)}${local.slice(19)}`}
          </time>
        </h3>
        <p className="second">
          {lasting(to - from)}
          {releases.map((release) => (
            <span key={release}>
              {", "}
              <ReleaseLink project={project} name={release} />
            </span>
          ))}
        </p>
        {devices.length > 0 && <p className="second breaks">{devices.join("; ")}</p>}
      </header>
      <div>
        <Strip visit={visit} />
        {parts[0]?.steps[0]?.fails && <p className="second">Nothing was recorded before the failure.</p>}
        {parts.map(({ isFolded, steps }, index) =>
          isFolded ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the visit is past and does not change
            <details key={index} className="fold">
              <summary>{many(steps.length, "step")}</summary>
              <Steps steps={steps} project={project} />
            </details>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the visit is past and does not change
            <Steps key={index} steps={steps} project={project} />
          ),
        )}
      </div>
    </article>
  );
}

/** A narrower page has no room for the beginning of its name: 40 of the 330 px that the strip has on a phone. */
const leastNamed = 0.12;

/** Pages by the time for which they were open, and a mark for each failure. The steps say the same in words. */
function Strip({ visit: { pages, marks } }: { visit: ShownVisit }) {
  if (pages.length === 0) return null;
  const label = pages
    .map(({ route, ms, fails }) => `${route} ${lasting(ms)}${fails ? " with a failure" : ""}`)
    .join(", ");
  return (
    <svg className="strip" role="img" aria-label={`Pages by time: ${label}`}>
      {pages.map(({ route, start, width, ms, fails }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the visit is past and does not change
        <svg key={index} x={styleShare(start)} width={styleShare(width)} height="24">
          <title>{`${route}, ${lasting(ms)}`}</title>
          <rect className={fails ? "page fails" : "page"} width="100%" height="24" rx="4" />
          {width >= leastNamed && (
            <text x="7" y="16">
              {route}
            </text>
          )}
        </svg>
      ))}
      {marks.map((at, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the visit is past and does not change
        <rect key={index} className="mark" x={styleShare(at)} y="-3" width="3" height="30" rx="1.5" />
      ))}
    </svg>
  );
}

function Steps({ steps, project }: { steps: readonly ShownVisitStep[]; project: string }) {
  const exact = useExact();
  return (
    <ol className="steps">
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the visit is past and does not change
        <li key={index} className={step.fails ? "fails" : undefined}>
          <time dateTime={new Date(step.at).toISOString()} title={exactTime(step.at)}>
            {exact(step.at).slice(11, 19)}
          </time>
          <span className="kind">{step.kind}</span>
          <span className="breaks">
            <What step={step} project={project} />
          </span>
          <span className="second">
            {step.digest && step.fails ? (
              <code>{step.digest}</code>
            ) : (
              step.durationMs !== undefined && milliseconds(step.durationMs)
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function What({ step: { text, times, leads, kind }, project }: { step: ShownVisitStep; project: string }) {
  const shown = kind === "wrote" ? `“${text}”` : text;
  return (
    <>
      {leads ? <a href={`${href("/[project]", { project })}/${leads}`}>{shown}</a> : shown}
      {times > 1 && ` × ${times}`}
    </>
  );
}

/** A duration in the unit that a person would use. */
function lasting(ms: number): string {
  if (ms < 1_000) return "a moment";
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
