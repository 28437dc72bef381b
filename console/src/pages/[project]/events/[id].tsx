import { href, Link } from "holdfast";
import { many } from "../../../parts/charts/numbers.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { DigestBox } from "../../../parts/event/digest-box.tsx";
import { EventFacts, EventStory } from "../../../parts/event/event-body.tsx";
import { Pairs } from "../../../parts/event/pairs.tsx";
import { StateMark } from "../../../parts/issue/issue-state.tsx";
import { ReleaseLink } from "../../../parts/release/release-link.tsx";
import { ExactTime, TimeAgo } from "../../../parts/time/time-ago.tsx";
import { MiniWaterfall } from "../../../parts/trace/mini-waterfall.tsx";

type Props = PageProps<"/[project]/events/[id]">;

export default function EventPage({ data, params: { project } }: Props) {
  const { event, issue, now } = data;
  const fileOf = (form: "md" | "json") =>
    href("/[project]/event/[file]", { project, file: `${event.eventId}.${form}` });
  return (
    <main className="with-aside">
      <title>{`${event.digest} ${event.title} · Holdfast`}</title>
      <meta name="description" content={`One occurrence of ${event.title}.`} />
      <header>
        <p className="over-title">
          <Link to="/[project]/issues/[number]" params={{ project, number: issue.number }}>
            Issue #{issue.number}
          </Link>{" "}
          <StateMark state={issue.state} />{" "}
          <span className="second">
            {many(issue.events, "event")},{" "}
            <Link to="/[project]/issues/[number]/visitors" params={{ project, number: issue.number }}>
              {many(issue.visitors, "visitor")}
            </Link>
          </span>
        </p>
        <h1 className="breaks">{event.title}</h1>
        <DigestBox digest={event.digest} />
        <p>
          <ExactTime at={event.at} /> (<TimeAgo at={event.at} now={now} />) ·{" "}
          {[event.level, event.route, event.environment].filter(Boolean).join(" · ")}
          {event.release && (
            <>
              {" · "}
              <ReleaseLink project={project} name={event.release} />
            </>
          )}
        </p>
        <div className="title-line">
          <Neighbours neighbours={event.neighbours} project={project} />
          <span className="row-of-links">
            <CopyButton from={fileOf("md")} pressedBy="c" isMain>
              Copy for a colleague
            </CopyButton>
            <a href={fileOf("md")} data-hard="">
              Markdown
            </a>
            <a href={fileOf("json")} data-hard="">
              JSON
            </a>
            {event.traceId ? (
              <Link to="/[project]/traces/[id]" params={{ project, id: event.traceId }}>
                Trace
              </Link>
            ) : (
              <span className="second">No trace</span>
            )}
            {data.mayErase && (
              <a href={href("/[project]/settings/erase", { project }, { event: event.eventId })}>Forget</a>
            )}
          </span>
        </div>
      </header>
      <div className="main-part">
        {data.kept && <Kept kept={data.kept} project={project} now={now} />}
        <EventStory event={event} project={project} frames={data.frames}>
          {data.trace && event.traceId && (
            <MiniWaterfall trace={data.trace} project={project} traceId={event.traceId} />
          )}
        </EventStory>
      </div>
      <aside>
        <EventFacts event={event} project={project} />
      </aside>
    </main>
  );
}

/** What the visitor sent to the action that failed. It is run or forgotten on a screen of its own. */
function Kept({ kept, project, now }: { kept: NonNullable<Props["data"]["kept"]>; project: string; now: number }) {
  return (
    <section className="notice kept" aria-labelledby="kept">
      <div className="title-line">
        <h2 id="kept">
          Kept submission <code>{kept.code}</code>
        </h2>
        <a className="button" href={href("/[project]/kept", { project }, { code: kept.code })}>
          {kept.choices.length > 0 ? "Run or forget it" : "Open it"}
        </a>
      </div>
      <p>
        <strong className={kept.isProblem ? "problem" : undefined}>{kept.state}</strong> {kept.by && `by ${kept.by} `}·
        sent <TimeAgo at={kept.keptAt} now={now} />
        {kept.action && ` · ${kept.action}`}
      </p>
      <Pairs pairs={kept.sent} />
    </section>
  );
}

const keys = { oldest: undefined, older: "[", newer: "]", newest: undefined } as const;
const names = { oldest: "Oldest", older: "Older", newer: "Newer", newest: "Newest" } as const;

function Neighbours({ neighbours, project }: { neighbours: Props["data"]["event"]["neighbours"]; project: string }) {
  return (
    <nav className="choices" aria-label="Events of this issue">
      {(["oldest", "older", "newer", "newest"] as const).map((which) => {
        const id = neighbours[which];
        return id === undefined ? (
          <span key={which} className="off" aria-disabled="true">
            {names[which]}
          </span>
        ) : (
          <Link key={which} to="/[project]/events/[id]" params={{ project, id }} data-key={keys[which]}>
            {names[which]} {keys[which] && <kbd>{keys[which]}</kbd>}
          </Link>
        );
      })}
    </nav>
  );
}
