import { type ActionRef, Form, Link } from "holdfast";
import type { ShownKept } from "../../server/kept/show-kept.ts";
import { Pairs } from "../event/pairs.tsx";
import { ExactTime, TimeAgo } from "../time/time-ago.tsx";
import { KeptSaid } from "./kept-said.tsx";
import { KeptState } from "./kept-state.tsx";

interface KeptSubmissionProps {
  kept: ShownKept;
  project: string;
  now: number;
  /** Undefined for those who only read. */
  action: ActionRef | undefined;
}

/** What a visitor sent, its state, and what to do with it. */
export function KeptSubmission({ kept, project, now, action }: KeptSubmissionProps) {
  const { code, lastCode, place, by } = kept;
  return (
    <section className="notice kept" aria-labelledby="kept">
      <div className="title-line">
        <h2 id="kept">
          Kept submission <code>{code}</code>
        </h2>
        <span className="row-of-links">
          {place && (
            <>
              <Link to="/[project]/events/[id]" params={{ project, id: place.eventId }}>
                Event
              </Link>
              <Link to="/[project]/issues/[number]" params={{ project, number: place.issue }}>
                Issue #{place.issue}
              </Link>
            </>
          )}
          {lastCode && (
            <Link to="/[project]/events/[id]" params={{ project, id: lastCode }}>
              Last failure
            </Link>
          )}
        </span>
      </div>
      <p>
        <KeptState kept={kept} />
        {by && (
          <>
            {" by "}
            {by}, <TimeAgo at={kept.changedAt} now={now} />
          </>
        )}
        {" · sent "}
        <ExactTime at={kept.keptAt} /> (<TimeAgo at={kept.keptAt} now={now} />){kept.action && ` · ${kept.action}`}
      </p>
      {kept.note && <p className="second">{kept.note}</p>}
      <Pairs pairs={kept.sent} />
      {action && (
        <Form action={action} of={code} notices={false} className="kept">
          {(form) => (
            <>
              <input type="hidden" name="code" value={code} />
              {kept.choices.length > 0 && (
                <div className="toolbar">
                  {kept.choices.map((choice) => (
                    <Choice key={choice.does} {...choice} />
                  ))}
                </div>
              )}
              <KeptSaid form={form} project={project} />
            </>
          )}
        </Form>
      )}
    </section>
  );
}

/** What cannot be undone asks first. */
function Choice({ does, name, ask }: ShownKept["choices"][number]) {
  if (!ask)
    return (
      <button type="submit" name="do" value={does} className={does === "run" ? "primary" : undefined}>
        {name}
      </button>
    );
  return (
    <details className="menu">
      <summary className="button">{name}</summary>
      <ul className="asked">
        <li>
          <p>{ask.about}</p>
          <button type="submit" name="do" value={does}>
            {ask.button}
          </button>
        </li>
      </ul>
    </details>
  );
}
