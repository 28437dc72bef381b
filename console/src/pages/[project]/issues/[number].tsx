import { type ActionRef, Form, href, Link } from "holdfast";
import { useAddress } from "../../../parts/address.ts";
import { Chart } from "../../../parts/charts/chart.tsx";
import { Distributions } from "../../../parts/charts/distributions.tsx";
import { NumberList } from "../../../parts/charts/number-list.tsx";
import { grouped, many } from "../../../parts/charts/numbers.ts";
import { DigestBox } from "../../../parts/event/digest-box.tsx";
import { EventFacts, EventStory } from "../../../parts/event/event-body.tsx";
import { Activity } from "../../../parts/issue/activity.tsx";
import { explain, StateMark } from "../../../parts/issue/issue-state.tsx";
import { Owner } from "../../../parts/issue/owner.tsx";
import { Ticket } from "../../../parts/issue/ticket.tsx";
import { NoDefaultButton, TriageMenu } from "../../../parts/issue/triage-menu.tsx";
import { Outcome } from "../../../parts/outcome.tsx";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { usualDaysOfIssue } from "../../../parts/time/day-choices.ts";
import { DayRange } from "../../../parts/time/day-range.tsx";
import { ExactTime, TimeAgo, useExact } from "../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/issues/[number]">;

export default function Issue({ data, params, actions }: Props) {
  const { issue, latest } = data;
  const exact = useExact();
  return (
    <main className="with-aside">
      <title>{`#${issue.number} ${issue.title} · Holdfast`}</title>
      <meta name="description" content={`${issue.title}: where, since when and for whom.`} />
      <header>
        <div className="title-line">
          <p className="over-title">
            <span>#{issue.number}</span> <StateMark state={issue.state} />{" "}
            {issue.state.kind !== "open" && <span className="second">{explain(issue.state, exact)}</span>}{" "}
            {issue.route && <span className="second">{issue.route}</span>}
          </p>
          <Neighbours neighbours={data.neighbours} project={params.project} />
        </div>
        <h1 className="breaks">{issue.title}</h1>
        <Numbers data={data} project={params.project} />
        {data.mayChange && <Triage action={actions.change} data={data} />}
      </header>
      <div className="main-part">
        {data.kept > 0 && (
          <p className="notice title-line">
            {many(data.kept, "submission")} of visitors {data.kept === 1 ? "is" : "are"} kept, to be run after the fix.
            <a className="button" href={href("/[project]/kept", { project: params.project }, { issue: issue.number })}>
              Dry run or run {data.kept === 1 ? "it" : "them"}
            </a>
          </p>
        )}
        <section aria-labelledby="when">
          <div className="title-line">
            <h2 id="when">When</h2>
            <DayRange days={data.days} usual={usualDaysOfIssue} />
          </div>
          <Chart
            values={data.chart}
            label={`Events in the last ${data.days === 1 ? "24 hours" : `${data.days} days`}`}
            days={data.days}
            marks={data.deploys}
            project={params.project}
          />
        </section>
        {data.suspect && <Suspect suspect={data.suspect} now={data.now} />}
        {latest && (
          <section aria-labelledby="latest">
            <div className="title-line">
              <h2 id="latest">Latest event</h2>
              <Link to="/[project]/events/[id]" params={{ project: params.project, id: latest.eventId }}>
                Open it
              </Link>
            </div>
            <DigestBox digest={latest.digest} />
            <EventStory event={latest} project={params.project} />
            <EventFacts event={latest} project={params.project} />
          </section>
        )}
        <Recent data={data} project={params.project} />
        <section aria-labelledby="why">
          <h2 id="why">Why these belong together</h2>
          <ul className="plain">
            {data.groups.map(({ id, rule, parts, events }) => (
              <li key={id}>
                By {rule}, {many(events, "event")}: <code className="breaks">{parts.join(" · ")}</code>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <aside>
        <Distributions distributions={data.distributions} project={params.project} />
        <Others id="similar" name="Similar issues" issues={data.similar} project={params.project} />
        <Others id="mentioned" name="Mentioned in" issues={data.mentionedIn} project={params.project} />
        {data.owner && <Owner owner={data.owner} action={data.mayChange ? actions.change : undefined} />}
        <Ticket ticket={issue.ticket} opens={data.opensTicket} action={data.mayChange ? actions.ticket : undefined} />
        <Activity history={data.history} now={data.now} />
        {data.mayChange && <Talk action={actions.change} />}
        {data.mayErase && (
          <p>
            <a href={href("/[project]/settings/erase", { project: params.project }, { issue: issue.number })}>
              Forget this issue
            </a>
          </p>
        )}
      </aside>
    </main>
  );
}

const ways = [
  { which: "previous", name: "Previous", pressed: "k" },
  { which: "next", name: "Next", pressed: "j" },
] as const;

/** The issues beside this one in the list that it was opened from. */
function Neighbours({ neighbours, project }: { neighbours: Props["data"]["neighbours"]; project: string }) {
  const address = useAddress();
  return (
    <nav className="choices" aria-label="The list of issues">
      <a href={address({ place: undefined }, href("/[project]/issues", { project }))}>List</a>
      {ways.map(({ which, name, pressed }) => {
        const found = neighbours[which];
        return found === undefined ? (
          <span key={which} className="off" aria-disabled="true">
            {name}
          </span>
        ) : (
          <a
            key={which}
            href={address(
              { place: found.place },
              href("/[project]/issues/[number]", { project, number: found.number }),
            )}
            data-key={pressed}
          >
            {name} <kbd>{pressed}</kbd>
          </a>
        );
      })}
    </nav>
  );
}

interface OthersProps {
  id: string;
  name: string;
  issues: Props["data"]["similar"];
  project: string;
}

function Others({ id, name, issues, project }: OthersProps) {
  if (issues.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <ul className="plain">
        {issues.map(({ number, title, state }) => (
          <li key={number}>
            <StateMark state={state} />{" "}
            <Link to="/[project]/issues/[number]" params={{ project, number }}>
              #{number} {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Numbers({ data: { issue, now }, project }: { data: Props["data"]; project: string }) {
  const seen = (at: number, release: string | undefined) => (
    <>
      <TimeAgo at={at} now={now} />
      <InRelease name={release} project={project} />
    </>
  );
  const numbers = {
    Events: grouped(issue.events),
    Visitors: (
      <Link to="/[project]/issues/[number]/visitors" params={{ project, number: issue.number }}>
        {grouped(issue.visitors)}
      </Link>
    ),
    "First seen": seen(issue.firstSeen, issue.firstRelease),
    "Last seen": seen(issue.lastSeen, issue.lastRelease),
    ...(issue.assignee && { "Assigned to": issue.assignee }),
  };
  return <NumberList numbers={numbers} />;
}

/** The commit between the release before and the first one with this issue that touches a file of the stack. */
function Suspect({ suspect, now }: { suspect: NonNullable<Props["data"]["suspect"]>; now: number }) {
  const { hash, author, at, subject, file } = suspect;
  return (
    <section aria-labelledby="suspect">
      <h2 id="suspect">Suspect commit</h2>
      <p>
        <code title={hash}>{hash.slice(0, 8)}</code> <span className="breaks">{subject}</span>
      </p>
      <p className="second breaks">
        {author}, <TimeAgo at={at} now={now} />. It is new in the first release with this issue, and touches {file}.
      </p>
    </section>
  );
}

function InRelease({ name, project }: { name: string | undefined; project: string }) {
  if (name === undefined) return null;
  return (
    <span className="second">
      {" "}
      in <ReleaseLink project={project} name={name} />
    </span>
  );
}

function Recent({ data, project }: { data: Props["data"]; project: string }) {
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent events</h2>
      <ul className="plain recent">
        {data.recent.map(({ eventId, at, about }) => (
          <li key={eventId}>
            <Link to="/[project]/events/[id]" params={{ project, id: eventId }}>
              <ExactTime at={at} />
            </Link>{" "}
            <span className="second">{about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Actions on the issue. Those that need input are in a menu. */
function Triage({ action, data }: { action: ActionRef; data: Props["data"] }) {
  const { kind } = data.issue.state;
  const isOpen = kind === "open" || kind === "regressed";
  return (
    <>
      <Form action={action} of="issue">
        {(form) => (
          <div className="toolbar" role="toolbar" aria-label="With this issue">
            <NoDefaultButton />
            {isOpen ? (
              <>
                <button type="submit" name="do" value="resolve" data-key="e" className="primary">
                  Resolve <kbd>e</kbd>
                </button>
                <button type="submit" name="do" value="resolve-next">
                  Resolve in next release
                </button>
                <button type="submit" name="do" value="mute" data-key="m" title="Until somebody opens it again">
                  Mute <kbd>m</kbd>
                </button>
              </>
            ) : (
              <button type="submit" name="do" value="reopen" data-key="u" className="primary">
                Reopen <kbd>u</kbd>
              </button>
            )}
            {!data.issue.isMine && (
              <button type="submit" name="do" value="take" data-key="a">
                Assign to me <kbd>a</kbd>
              </button>
            )}
            <TriageMenu form={form} known={data.known} isMerged={data.groups.length > 1} />
          </div>
        )}
      </Form>
      <Outcome action={action} of="issue" />
    </>
  );
}

function Talk({ action }: { action: ActionRef }) {
  return (
    <Form action={action} of="issue" className="asks">
      {(form) => (
        <>
          <input type="hidden" name="do" value="comment" />
          <label>
            Comment <textarea {...form.field("text")} rows={3} maxLength={4000} required />
            <span {...form.error("text")} className="problem" />
          </label>
          <p className="second">
            Markdown: **bold**, `code`, lists, quotes, links. #12 links an issue, and is shown there.
          </p>
          <button type="submit">Comment</button>
        </>
      )}
    </Form>
  );
}
