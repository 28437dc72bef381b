import { Form, type FormState, href, Link } from "holdfast";
import type { ReactNode } from "react";
import { useAddress } from "../../../parts/address.ts";
import { useAlive } from "../../../parts/alive.ts";
import { Bars } from "../../../parts/charts/bars.tsx";
import { short } from "../../../parts/charts/numbers.ts";
import { Initials } from "../../../parts/initials.tsx";
import { StateMark } from "../../../parts/issue/issue-state.tsx";
import { IssueTitle } from "../../../parts/issue/message-text.tsx";
import { SelectAll } from "../../../parts/issue/select-all.tsx";
import { NoDefaultButton, TriageMenu } from "../../../parts/issue/triage-menu.tsx";
import { Problems } from "../../../parts/keys-and-search/problems.tsx";
import { Outcome } from "../../../parts/outcome.tsx";
import { SavedMenu } from "../../../parts/saved-menu.tsx";
import { DayMenu } from "../../../parts/time/day-menu.tsx";
import { ExactTime, TimeAgo } from "../../../parts/time/time-ago.tsx";
import { whenUsed } from "../../../parts/when-used.tsx";

type Data = PageProps<"/[project]/issues">["data"];

const NewEvents = whenUsed(() => import("../../../parts/issue/new-events.tsx"));

export default function Issues({ data, params, actions }: PageProps<"/[project]/issues">) {
  return (
    <main className="dense">
      <title>Issues · Holdfast</title>
      <meta name="description" content="What is broken, how often, and for how many visitors." />
      {data.hour === undefined && <Newer project={params.project} data={data} />}
      {data.spike && <p className="notice">{data.spike}</p>}
      {data.rows.length === 0 ? (
        <>
          <TitleLine data={data} />
          <Problems of={data.problems} />
          <Nothing data={data} project={params.project} />
        </>
      ) : (
        <Form action={actions.change} of="list">
          {(form) => (
            <>
              <TitleLine data={data}>{data.mayChange && <Toolbar data={data} form={form} />}</TitleLine>
              <Problems of={data.problems} />
              <List data={data} project={params.project} />
            </>
          )}
        </Form>
      )}
      <Paging data={data} />
      {data.mayChange && <Outcome action={actions.change} of="list" />}
    </main>
  );
}

/** A component of its own: after hydration only this renders again, not the list. */
function Newer({ project, data: { filter, newest } }: { project: string; data: Pick<Data, "filter" | "newest"> }) {
  return useAlive() ? <NewEvents project={project} filter={filter} newest={newest} /> : null;
}

/** Everything above the list is one line, to leave the height of a laptop to the rows. */
function TitleLine({ data, children }: { data: Data; children?: ReactNode }) {
  const address = useAddress();
  return (
    <div className="title-line">
      <h1>Issues</h1>
      <Tabs data={data} />
      <SavedMenu saved={data.saved} />
      {data.hour !== undefined && (
        <p>
          In the hour from <ExactTime at={data.hour} />. <a href={address({ hour: undefined })}>Any time</a>
        </p>
      )}
      {children}
    </div>
  );
}

/** Actions on the chosen rows, with their keys beside the words. */
function Toolbar({ data, form }: { data: Data; form: FormState }) {
  return (
    <div className="toolbar action-bar" role="toolbar" aria-label="With the chosen issues">
      <NoDefaultButton />
      <span className="joined">
        <button type="submit" name="do" value="resolve" data-key="e">
          Resolve <kbd>e</kbd>
        </button>
        <button type="submit" name="do" value="resolve-next" aria-label="Resolve in next release">
          in next release
        </button>
      </span>
      <button type="submit" name="do" value="mute" data-key="m" title="Until somebody opens it again">
        Mute <kbd>m</kbd>
      </button>
      <button type="submit" name="do" value="reopen" data-key="u">
        Reopen <kbd>u</kbd>
      </button>
      <button type="submit" name="do" value="take" data-key="a">
        Assign to me <kbd>a</kbd>
      </button>
      <TriageMenu form={form} known={data.known} />
    </div>
  );
}

function Person({ name }: { name: string }) {
  return (
    <>
      <Initials of={name} />
      <span className="unseen">{name}</span>
    </>
  );
}

const tabNames = { unresolved: "Unresolved", resolved: "Resolved", muted: "Muted", all: "All" } as const;

function Tabs({ data }: { data: Data }) {
  const address = useAddress();
  return (
    <nav className="tabs" aria-label="States">
      {(["unresolved", "resolved", "muted", "all"] as const).map((tab) => (
        <a
          key={tab}
          href={address({ tab: tab === "unresolved" ? undefined : tab, after: undefined })}
          aria-current={tab === data.tab ? "true" : undefined}
        >
          {tabNames[tab]} {tab !== "all" && <span className="count">{data.counts[tab]}</span>}
        </a>
      ))}
    </nav>
  );
}

const columns = [
  { sort: "stuck", name: "No further" },
  { sort: "events", name: "Events" },
  { sort: "visitors", name: "Visitors" },
  { sort: "last-seen", name: "Last seen" },
  { sort: "first-seen", name: "First seen" },
] as const;

function List({ data, project }: { data: Data; project: string }) {
  const address = useAddress();
  return (
    <table className="issues">
      <thead>
        <tr>
          {data.mayChange && (
            <th scope="col">
              <SelectAll />
            </th>
          )}
          <th scope="col">State</th>
          <th scope="col">Issue</th>
          <th scope="col">
            <DayMenu days={data.days} />
          </th>
          {columns.map(({ sort, name }) => (
            <th key={sort} scope="col" className="number" aria-sort={sort === data.sort ? "descending" : undefined}>
              <a href={address({ sort: sort === "stuck" ? undefined : sort, after: undefined })}>{name}</a>
            </th>
          ))}
          <th scope="col">Release</th>
          <th scope="col">Assigned</th>
        </tr>
      </thead>
      <tbody>
        {data.rows.map((row) => (
          <tr key={row.number} id={`issue-${row.number}`} data-row="">
            {data.mayChange && (
              <td className="choose">
                <input type="checkbox" name="number" value={row.number} aria-label={`Choose #${row.number}`} />
              </td>
            )}
            <td>
              <StateMark state={row.state} />
            </td>
            <th scope="row">
              <a
                href={address(
                  { after: undefined, place: row.place },
                  href("/[project]/issues/[number]", { project, number: row.number }),
                )}
                title={row.title}
              >
                <IssueTitle type={row.type} message={row.message} />
              </a>
              <span className="second where" title={row.culprit}>
                {row.where}
              </span>
              {row.ticket && (
                <a className="second" href={row.ticket} rel="nofollow noopener noreferrer">
                  Ticket
                </a>
              )}
            </th>
            <td className="spark">
              <Bars values={row.sparkline} label="Events" height={24} />
            </td>
            <td
              className={row.stuck > 0 ? "number bad" : "number none"}
              data-name="got no further"
              title={String(row.stuck)}
            >
              {short(row.stuck)}
            </td>
            <td className="number" data-name={row.events === 1 ? "event" : "events"} title={String(row.events)}>
              {short(row.events)}
            </td>
            <td className="number" data-name={row.visitors === 1 ? "visitor" : "visitors"} title={String(row.visitors)}>
              {short(row.visitors)}
            </td>
            <td className="number">
              <TimeAgo at={row.lastSeen} now={data.now} />
            </td>
            <td className="number rare">
              <TimeAgo at={row.firstSeen} now={data.now} />
            </td>
            <td className="rare cut" title={row.release}>
              {row.release}
            </td>
            <td className="rare">{row.assignee !== undefined && <Person name={row.assignee} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ data, project }: { data: Data; project: string }) {
  if (data.typed !== "" || data.tab !== "unresolved" || data.hour !== undefined)
    return (
      <div className="empty">
        <h2>No matching issues</h2>
        <p>{data.typed === "" ? "None is in this state." : <>Nothing was found for “{data.typed}”.</>}</p>
        <p className="row-of-links">
          {data.typed !== "" && data.tab !== "all" && (
            <Link to="/[project]/issues" params={{ project }} search={{ q: data.typed, tab: "all" }}>
              Look in all states
            </Link>
          )}
          <Link to="/[project]/issues" params={{ project }}>
            Show what is unresolved
          </Link>
        </p>
      </div>
    );
  return (
    <div className="empty">
      <h2>Nothing is broken</h2>
      <p>
        Errors of this application appear here within a second, without any set-up. To see one, throw an error in a page
        and open it.
      </p>
    </div>
  );
}

function Paging({ data }: { data: Data }) {
  const address = useAddress();
  if (data.isFirstPage && !data.next) return null;
  return (
    <nav className="paging" aria-label="Pages of the list">
      {!data.isFirstPage && <a href={address({ after: undefined })}>First page</a>}
      {data.next && (
        <a href={address({ after: data.next })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
