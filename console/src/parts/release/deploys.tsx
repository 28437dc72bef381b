import { OutsideLink } from "../event/outside-link.tsx";
import { TimeAgo } from "../time/time-ago.tsx";

interface ShownDeploy {
  readonly environment: string;
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly at: number;
}

/** Where a release was put, newest first. The texts are those of release tools, so they are untrusted. */
export function Deploys({ deploys, now }: { deploys: readonly ShownDeploy[]; now: number }) {
  return (
    <section aria-labelledby="deploys">
      <h2 id="deploys">Deploys</h2>
      {deploys.length === 0 ? (
        <p className="second">
          None is known: <code>sentry-cli deploys new</code> announces one, with a token from Settings, Uploads.
        </p>
      ) : (
        <div className="wide">
          <table className="cards">
            <thead>
              <tr>
                <th scope="col">Environment</th>
                <th scope="col">When</th>
                <th scope="col">Name</th>
                <th scope="col">Address</th>
              </tr>
            </thead>
            <tbody>
              {deploys.map(({ environment, name, url, at }) => (
                <tr key={`${environment} ${at}`} data-row="">
                  <th scope="row" className="breaks">
                    {environment}
                  </th>
                  <td data-label="When">
                    <TimeAgo at={at} now={now} />
                  </td>
                  <td className="breaks" data-label="Name">
                    {name ?? "–"}
                  </td>
                  <td data-label="Address">{url === undefined ? "–" : <OutsideLink address={url} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
