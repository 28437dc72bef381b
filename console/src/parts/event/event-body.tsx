import { href, Link } from "holdfast";
import type { ReactNode } from "react";
import type { FramesShown } from "../../server/find-frames.ts";
import type { ShownEvent } from "../../server/show-event.ts";
import { CopyButton } from "../copy-button.tsx";
import { ReleaseLink } from "../release/release-link.tsx";
import { ExactTime, useExact } from "../time/time-ago.tsx";
import { AttachedFiles } from "./attached-files.tsx";
import { FrameSearch } from "./frame-search.tsx";
import { OutsideLink } from "./outside-link.tsx";
import { Pairs } from "./pairs.tsx";
import { Stack, writeStack } from "./stack.tsx";

interface EventStoryProps {
  event: ShownEvent;
  project: string;
  /** Which frames are shown. Undefined where they cannot be searched. */
  frames?: FramesShown | undefined;
  children?: ReactNode;
}

/** The error, and the visitor's steps before it. */
export function EventStory({ event, project, frames, children }: EventStoryProps) {
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
        {frames && <FrameSearch frames={frames} />}
        <Stack chain={body.chain} title={event.title} isUnfolded={frames?.isUnfolded ?? false} />
      </section>
      {event.feedback.map(({ at, from, message }) => (
        <figure key={at} className="feedback">
          <figcaption>
            {from ?? "The visitor"} wrote, <ExactTime at={at} />
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
function VisitorPath({ event: { steps, eventId, visitor }, project }: { event: ShownEvent; project: string }) {
  const exact = useExact();
  return (
    <section>
      <div className="title-line">
        <h2>What happened before</h2>
        {visitor && (
          <Link to="/[project]/visitors/[id]" params={{ project, id: visitor }}>
            All visits of this visitor
          </Link>
        )}
      </div>
      {/* The event itself is the last step. */}
      {steps.length <= 1 ? (
        <p className="second">Nothing was recorded before it.</p>
      ) : (
        <ol className="steps">
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the path is past and does not change
            <li key={index} className={step.fails ? "fails" : undefined}>
              <time dateTime={new Date(step.at).toISOString()} title={exact(step.at)}>
                {step.distance}
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
      )}
    </section>
  );
}

/** Place and visitor of the event, and all its other data. */
export function EventFacts({ event: { body, visitor }, project }: { event: ShownEvent; project: string }) {
  if (body.kind !== "whole") return null;
  const who = visitor && href("/[project]/visitors/[id]", { project, id: visitor });
  return (
    <section>
      <h2>Where and who</h2>
      {body.url && (
        <p className="breaks">
          <OutsideLink address={body.url} />
        </p>
      )}
      <Pairs pairs={body.facts} links={{ "user id": who, "e-mail": who, user: who }} />
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
