import { href } from "holdfast";
import type { ReactNode } from "react";
import type { ShownEvent } from "../../server/show-event.ts";
import { CopyButton } from "../copy-button.tsx";
import { ReleaseLink } from "../release/release-link.tsx";
import { exactTime } from "../time/time-ago.tsx";
import { AttachedFiles } from "./attached-files.tsx";
import { OutsideLink } from "./outside-link.tsx";
import { Pairs } from "./pairs.tsx";
import { Stack, writeStack } from "./stack.tsx";

/** The error, and the visitor's steps before it. */
export function EventStory({ event, project, children }: { event: ShownEvent; project: string; children?: ReactNode }) {
  const { body } = event;
  if (body.kind === "damped")
    return <p className="notice">Very many of its kind arrived in that minute; of this one only its row was kept.</p>;
  if (body.kind === "damaged")
    return <p className="notice">Its content is damaged on the disk and cannot be shown. Restore it from a backup.</p>;
  return (
    <>
      <section aria-labelledby="stack">
        <div className="title-line">
          <h2 id="stack">Stack</h2>
          <span>
            <CopyButton text={`${body.chain[0]?.type}: ${body.chain[0]?.message}`}>Copy message</CopyButton>
            <CopyButton text={writeStack(body.chain)}>Copy stack</CopyButton>
          </span>
        </div>
        {body.isUnmapped && (
          <p className="notice">
            A source map was missing, and some places are those of the built file.{" "}
            {event.release && (
              <ReleaseLink project={project} name={event.release}>
                What its release lacks
              </ReleaseLink>
            )}
          </p>
        )}
        {body.remarks.length > 0 && (
          <p className="notice">This report is not shown as its client sent it. {body.remarks.join(" ")}</p>
        )}
        <Stack chain={body.chain} title={event.title} />
      </section>
      {event.feedback.map(({ at, from, message }) => (
        <figure key={at} className="feedback">
          <figcaption>
            {from ?? "The visitor"} wrote, {exactTime(at)}
          </figcaption>
          <blockquote>{message}</blockquote>
        </figure>
      ))}
      {children}
      <VisitorPath event={event} project={project} />
      <AttachedFiles files={event.attachments} project={project} eventId={event.eventId} />
    </>
  );
}

/** The visitor's steps before the event, as text on one clock, with the distance to the error. */
function VisitorPath({ event: { steps, at, eventId, visitor }, project }: { event: ShownEvent; project: string }) {
  // The event itself is the last step.
  if (steps.length <= 1) return null;
  return (
    <section>
      <div className="title-line">
        <h2>What happened before</h2>
        {visitor && <a href={href("/[project]/live", { project }, { visitor })}>This visitor in Live</a>}
      </div>
      <ol className="steps">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the path is past and does not change
          <li key={index} className={step.fails ? "fails" : undefined}>
            <time dateTime={new Date(step.at).toISOString()} title={exactTime(step.at)}>
              {distance(step.at - at)}
            </time>
            <span className="kind">{step.kind}</span>
            <span className="breaks">
              {step.leads && step.leads !== `events/${eventId}` ? (
                <a href={`${href("/[project]", { project })}/${step.leads}`}>{step.text}</a>
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
  if (ms === 0) return text;
  return ms > 0 ? `+${text}` : `−${text}`;
}

/** Place and visitor of the event, and all its other data. */
export function EventFacts({ event: { body } }: { event: ShownEvent }) {
  if (body.kind !== "whole") return null;
  return (
    <section>
      <h2>Where and who</h2>
      {body.url && (
        <p className="breaks">
          <OutsideLink address={body.url} />
        </p>
      )}
      <Pairs pairs={body.facts} />
      <ul className="tags" aria-label="Tags">
        {body.tags.map(([name, value]) => (
          <li key={name}>
            <span className="second">{name}</span> {value}
          </li>
        ))}
      </ul>
      <div>
        {body.groups.map(({ name, pairs }) => (
          <details key={name} className="group">
            <summary>{name}</summary>
            <Pairs pairs={pairs} />
          </details>
        ))}
      </div>
    </section>
  );
}
