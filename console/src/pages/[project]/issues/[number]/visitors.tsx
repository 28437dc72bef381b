import { Link } from "holdfast";
import { useAddress } from "../../../../parts/address.ts";
import { grouped, many } from "../../../../parts/charts/numbers.ts";
import { ReleaseLink } from "../../../../parts/release/release-link.tsx";
import { TimeAgo } from "../../../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/issues/[number]/visitors">;

/** Who met an issue: the visitors in its newest events. */
export default function IssueVisitors({ data, params }: Props) {
  const { issue } = data;
  return (
    <main>
      <title>{`Visitors of #${issue.number} · Holdfast`}</title>
      <meta name="description" content={`Who met ${issue.title}.`} />
      <p className="over-title">
        <Link to="/[project]/issues/[number]" params={params}>
          Issue #{issue.number}
        </Link>
        <span className="second">{many(issue.events, "event")}</span>
      </p>
      <h1 className="breaks">{findingOf(data)}</h1>
      {data.counted < issue.events && (
        <p className="second">In its newest {grouped(data.counted)} events; those before are not listed.</p>
      )}
      {data.visitors.length > 0 && <Visitors data={data} project={params.project} />}
      <Paging data={data} />
    </main>
  );
}

/** Anonymous visits have rows, but are not counted as visitors. */
function findingOf({ issue, total }: Props["data"]): string {
  if (total === 0) return `No event of “${issue.title}” says who met it`;
  if (issue.visitors === 0) return `${many(total, "anonymous visit")} met “${issue.title}”`;
  return `${many(issue.visitors, "visitor")} met “${issue.title}”`;
}

const columns = [
  { sort: "events", name: "Events" },
  { sort: "first", name: "First" },
  { sort: "last", name: "Last" },
] as const;

function Visitors({ data, project }: { data: Props["data"]; project: string }) {
  const address = useAddress();
  return (
    <table className="cards">
      <thead>
        <tr>
          <th scope="col">Visitor</th>
          {columns.map(({ sort, name }) => (
            <th
              key={sort}
              scope="col"
              className="number"
              aria-sort={sort === data.sort ? (sort === "first" ? "ascending" : "descending") : undefined}
            >
              <a href={address({ sort: sort === "last" ? undefined : sort, page: undefined })}>{name}</a>
            </th>
          ))}
          <th scope="col">Release</th>
          <th scope="col">Device</th>
        </tr>
      </thead>
      <tbody>
        {data.visitors.map(({ id, name, events, firstAt, lastAt, release, device }) => (
          <tr key={id} data-row="">
            <th scope="row" className="breaks">
              <Link to="/[project]/visitors/[id]" params={{ project, id }}>
                {name}
              </Link>
            </th>
            <td className="number" data-label="Events">
              {grouped(events)}
            </td>
            <td className="number" data-label="First">
              <TimeAgo at={firstAt} now={data.now} />
            </td>
            <td className="number" data-label="Last">
              <TimeAgo at={lastAt} now={data.now} />
            </td>
            <td data-label="Release" className="breaks">
              {release === undefined ? "–" : <ReleaseLink project={project} name={release} />}
            </td>
            <td data-label="Device" className="breaks">
              {device ?? "–"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Paging({ data: { page, hasNext } }: { data: Props["data"] }) {
  const address = useAddress();
  if (page === 1 && !hasNext) return null;
  return (
    <nav className="paging" aria-label="Other visitors">
      {page > 1 && <a href={address({ page: page === 2 ? undefined : String(page - 1) })}>Previous</a>}
      {hasNext && <a href={address({ page: String(page + 1) })}>Next</a>}
    </nav>
  );
}
