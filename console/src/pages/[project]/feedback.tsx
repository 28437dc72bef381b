import { type ActionRef, Form, href, Link } from "holdfast";
import { AttachedFiles } from "../../parts/event/attached-files.tsx";
import { OutsideLink } from "../../parts/event/outside-link.tsx";
import { ReleaseLink } from "../../parts/release/release-link.tsx";
import { TimeAgo } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/feedback">;
type Entry = Props["data"]["entries"][number];

/** What visitors wrote, newest first, with the page and the error it is about. */
export default function Feedback({ data, actions, params: { project } }: Props) {
  const address = (query: Record<string, string>): string => href("/[project]/feedback", { project }, query);
  const show = data.archived ? { show: "archived" } : undefined;
  return (
    <main>
      <title>Feedback · Holdfast</title>
      <meta name="description" content="What visitors wrote, with the page and the error it is about." />
      <h1>Feedback</h1>
      <nav className="choices" aria-label="Which feedback">
        <a href={href("/[project]/feedback", { project })} aria-current={data.archived ? undefined : "page"}>
          Open
        </a>
        <a href={address({ show: "archived" })} aria-current={data.archived ? "page" : undefined}>
          Archived
        </a>
      </nav>
      {data.entries.length === 0 && <Nothing archived={data.archived} isPart={data.isPart} />}
      {data.entries.map((entry) => (
        <Words
          key={entry.id}
          entry={entry}
          project={project}
          now={data.now}
          action={data.mayChange ? actions.change : undefined}
        />
      ))}
      {data.next && <a href={address({ ...show, before: `${data.next.at}-${data.next.id}` })}>Older feedback</a>}
    </main>
  );
}

function Nothing({ archived, isPart }: { archived: boolean; isPart: boolean }) {
  if (isPart) return <p className="second">There is nothing more here.</p>;
  if (archived) return <p className="second">Nothing is archived.</p>;
  return (
    <div className="empty">
      <h2>Nobody has written yet</h2>
      <ul>
        <li>The error page of an application asks its visitors what they were doing.</li>
        <li>
          <code>{"<Feedback />"}</code> of <code>holdfast</code> asks on any other page.
        </li>
        <li>
          <code>captureFeedback</code> of a Sentry client arrives here too.
        </li>
      </ul>
    </div>
  );
}

interface WordsProps {
  entry: Entry;
  project: string;
  now: number;
  /** Undefined for those who only read. */
  action: ActionRef | undefined;
}

function Words({ entry, project, now, action }: WordsProps) {
  const { at, message, event, attachments, ownId, archivedAt, facts } = entry;
  return (
    <article className="words" data-row="">
      <figure className="feedback">
        <figcaption>
          <strong>
            <Author entry={entry} project={project} />
          </strong>{" "}
          wrote, <TimeAgo at={at} now={now} />
        </figcaption>
        <blockquote>{message}</blockquote>
      </figure>
      <Place entry={entry} project={project} />
      {event && (
        <p>
          About{" "}
          <Link to="/[project]/events/[id]" params={{ project, id: event.id }}>
            this event
          </Link>{" "}
          of{" "}
          <Link to="/[project]/issues/[number]" params={{ project, number: event.issue }}>
            {event.title}
          </Link>
        </p>
      )}
      {facts.steps && <Steps steps={facts.steps} />}
      {ownId && <AttachedFiles files={attachments} project={project} eventId={ownId} />}
      {action && (
        <Form action={action} of={entry.id} className="archive">
          <input type="hidden" name="id" value={entry.id} />
          <button type="submit" name="do" value={archivedAt === undefined ? "archive" : "open"}>
            {archivedAt === undefined ? "Archive" : "Open again"}
          </button>
        </Form>
      )}
    </article>
  );
}

/** Leads to the visitor, if one is known. */
function Author({ entry: { name, email, visitor }, project }: { entry: Entry; project: string }) {
  const from = [name, email].filter((one) => one !== undefined).join(", ") || "A visitor";
  if (visitor !== undefined)
    return (
      <Link to="/[project]/visitors/[id]" params={{ project, id: visitor }}>
        {from}
      </Link>
    );
  return from;
}

/** Where it was written. */
function Place({ entry: { url, facts, eventId, event }, project }: { entry: Entry; project: string }) {
  const { route, release, environment, traceId } = facts;
  if (!url && !route && !release && !traceId && (eventId === undefined || event)) return null;
  return (
    <p className="second breaks">
      {url ? <OutsideLink address={url} /> : route && `On ${route}`} {environment && `in ${environment} `}
      {release && <ReleaseLink project={project} name={release} />}{" "}
      {traceId && (
        <Link to="/[project]/traces/[id]" params={{ project, id: traceId }}>
          Trace
        </Link>
      )}
      {eventId !== undefined && !event && " The event it is about has not come."}
    </p>
  );
}

function Steps({ steps }: { steps: NonNullable<Entry["facts"]["steps"]> }) {
  return (
    <details>
      <summary>What happened before</summary>
      <ol className="steps">
        {steps.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps are past and do not change
          <li key={index}>
            <span className="kind">{kind}</span>
            <span className="breaks">{text}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
