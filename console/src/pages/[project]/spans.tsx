import { Link } from "holdfast";
import { grouped, many, milliseconds, short } from "../../parts/charts/numbers.ts";
import { Problems } from "../../parts/keys-and-search/problems.tsx";
import { SearchLine } from "../../parts/logs/search-line.tsx";
import { TimeAgo } from "../../parts/time/time-ago.tsx";

type Props = PageProps<"/[project]/spans">;
type Data = Props["data"];

/** What takes time: groups of spans, repeated and slow queries, and the slowest examples. */
export default function Spans({ data, params: { project } }: Props) {
  return (
    <main>
      <title>Spans · Holdfast</title>
      <meta name="description" content="Queries, requests and renderings, and how long they took." />
      <SearchLine title="Spans" data={data} placeholder="Words, op:db*, duration:>100, status:error, route:/cart" />
      <Problems of={data.problems} />
      {data.read === 0 ? (
        <div className="empty">
          <h2>No matching traces</h2>
          <p>Spans come from traced page loads, requests and tasks. None was sampled in this time.</p>
        </div>
      ) : (
        <>
          <p className="second">
            From {grouped(data.read)} of{" "}
            {many(data.measured, "page load, request and task", "page loads, requests and tasks")}: the newest of each
            route.
          </p>
          <Findings findings={data.findings} project={project} />
          <Groups data={data} />
          <Examples data={data} project={project} />
        </>
      )}
    </main>
  );
}

function Findings({ findings, project }: { findings: Data["findings"]; project: string }) {
  if (findings.length === 0) return null;
  return (
    <section aria-labelledby="findings" className="wide">
      <h2 id="findings">Repeated and slow queries</h2>
      <table className="measures cards statements">
        <thead>
          <tr>
            <th scope="col">Query</th>
            <th scope="col">What</th>
            <th scope="col">Route</th>
            <th scope="col" className="number">
              In one request
            </th>
            <th scope="col" className="number" title="Requests of the route that were read">
              Requests
            </th>
            <th scope="col" className="number">
              Together
            </th>
          </tr>
        </thead>
        <tbody>
          {findings.map((finding) => (
            <tr key={`${finding.kind} ${finding.route} ${finding.statement}`} data-row="">
              <th scope="row">
                <a href={finding.to}>
                  <code className="breaks">{finding.statement}</code>
                </a>
              </th>
              <td data-label="What">{finding.name}</td>
              <td data-label="Route">
                <Link to="/[project]/pages/route" params={{ project }} search={{ route: finding.route }}>
                  <code>{finding.route}</code>
                </Link>
              </td>
              <td className="number" data-label="In one request">
                {finding.cost}
              </td>
              <td className="number" data-label="Requests">
                {finding.requests}
              </td>
              <td className="number" data-label="Together">
                {finding.total}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Groups({ data }: { data: Data }) {
  if (data.groups.length === 0)
    return (
      <div className="empty">
        <h2>No matching spans</h2>
        <p>The traces that were read have none that fits.</p>
      </div>
    );
  return (
    <section aria-labelledby="groups" className="wide">
      <h2 id="groups">All spans by what they do</h2>
      <table className="measures cards statements">
        <thead>
          <tr>
            <th scope="col">Span</th>
            <th scope="col">Operation</th>
            <th scope="col" className="number">
              Count
            </th>
            <th scope="col" className="number">
              p50
            </th>
            <th scope="col" className="number">
              p95
            </th>
            <th scope="col" className="number" aria-sort="descending">
              Total
            </th>
            <th scope="col">Routes</th>
          </tr>
        </thead>
        <tbody>
          {data.groups.map((group) => (
            <tr key={`${group.op} ${group.title}`} data-row="">
              <th scope="row">
                <a href={group.slowest.to} title="Its slowest">
                  <span className="breaks">{group.title}</span>
                </a>
              </th>
              <td data-label="Operation" className={`k-${group.kind}`}>
                <span>
                  <i className="dot" /> {group.op}
                </span>
              </td>
              <td className="number" data-label="Count">
                {short(group.count)}
                {group.failed > 0 && <small className="problem"> {short(group.failed)} failed</small>}
              </td>
              <td className="number" data-label="p50">
                {milliseconds(group.p50)}
              </td>
              <td className="number" data-label="p95">
                {milliseconds(group.p95)}
              </td>
              <td className="number" data-label="Total">
                {milliseconds(group.totalMs)}
              </td>
              <td className="second" data-label="Routes">
                {group.routes.join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Examples({ data, project }: { data: Data; project: string }) {
  if (data.examples.length === 0) return null;
  return (
    <section aria-labelledby="examples" className="wide">
      <h2 id="examples">The slowest, one of each trace</h2>
      <table className="measures cards statements">
        <thead>
          <tr>
            <th scope="col">Span</th>
            <th scope="col" className="number">
              Duration
            </th>
            <th scope="col">Status</th>
            <th scope="col">Route</th>
            <th scope="col" className="number">
              When
            </th>
          </tr>
        </thead>
        <tbody>
          {data.examples.map((example) => (
            <tr key={example.spanId} data-row="">
              <th scope="row">
                <a href={example.to}>
                  <span className="breaks">{example.title}</span>
                </a>
              </th>
              <td className="number" data-label="Duration">
                {milliseconds(example.durationMs)}
              </td>
              <td data-label="Status">{example.status}</td>
              <td data-label="Route">
                <Link to="/[project]/pages/route" params={{ project }} search={{ route: example.route }}>
                  <code>{example.route}</code>
                </Link>
              </td>
              <td className="number" data-label="When">
                <TimeAgo at={example.at} now={data.now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
