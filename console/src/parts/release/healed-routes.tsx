import { type ActionRef, Form, Link } from "holdfast";
import type { HealedRoute, Healing, PinWish } from "../../server/healed-routes.ts";
import { Said } from "../settings/said.tsx";
import { ExactTime, TimeAgo } from "../time/time-ago.tsx";
import { ReleaseLink } from "./release-link.tsx";
import { shownRelease } from "./release-name.ts";

interface HealedProps {
  project: string;
  release: string;
  healing: Healing;
  now: number;
  /** Undefined for those who may only read. */
  pin: ActionRef | undefined;
}

/** Routes of a release that the build before answers, or should. */
export function HealedRoutes(props: HealedProps) {
  const { project, release, healing, now, pin } = props;
  const { routes, place, before, pinnable } = healing;
  const mayPin = pin !== undefined && pinnable.length > 0;
  if (routes.length === 0 && !mayPin) return null;
  const hasChoices = pin !== undefined && routes.some(({ choices }) => choices.length > 0);
  return (
    <section aria-labelledby="healed">
      <h2 id="healed">Healed routes</h2>
      {routes.length === 0 ? (
        <p className="second">
          All routes run on this release. <ReleaseName name={before} project={project} /> answers one that begins to
          fail.
        </p>
      ) : (
        <div className="wide">
          <table className="cards healed">
            <thead>
              <tr>
                <th scope="col">Route</th>
                <th scope="col">State</th>
                <th scope="col">Runs on</th>
                <th scope="col">Since</th>
                <th scope="col">Why</th>
                <th scope="col">Issue</th>
                {hasChoices && (
                  <th scope="col">
                    <span className="unseen">Choose the build</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {routes.map((healed) => (
                <tr key={healed.route} data-row="">
                  <th scope="row">
                    <Link to="/[project]/pages/route" params={{ project }} search={{ route: healed.route }}>
                      <code>{healed.route}</code>
                    </Link>
                  </th>
                  <td data-label="State">
                    <HealedMark state={healed.state} />
                  </td>
                  <td data-label="Runs on">
                    <RunsOn on={healed.on} release={release} project={project} />
                  </td>
                  <td data-label="Since">
                    <TimeAgo at={healed.since} now={now} />
                  </td>
                  <td className="why" data-label="Why">
                    <span>
                      {healed.why}
                      {healed.triedAt !== undefined && <TriedAt at={healed.triedAt} />}
                    </span>
                  </td>
                  <td data-label="Issue">
                    <IssueLink number={healed.issue} project={project} />
                  </td>
                  {hasChoices && (
                    <td className="changes">
                      <Choices {...{ healed, before, release, pin }} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {routes.length > 0 && place === "elsewhere" && <Elsewhere />}
      {mayPin && <PinAnother {...{ pinnable, before, pin }} />}
      {pin && (
        <Form action={pin} of="pin" notices={false}>
          {(form) => <Said form={form} />}
        </Form>
      )}
    </section>
  );
}

const looks: Readonly<Record<HealedRoute["state"], string>> = {
  healed: "muted",
  trial: "resolved",
  pinned: "new",
  "not healed": "regressed",
  warned: "regressed",
  returned: "open",
  reported: "open",
};

const says: Readonly<Record<HealedRoute["state"], string>> = {
  healed: "The build before answers it.",
  trial: "The build before answers it, and the new one is tried in the background.",
  pinned: "An operator has chosen the build.",
  "not healed": "It fails on this release, and the build before cannot answer it.",
  warned: "It fails on this release. The settings only warn.",
  returned: "This release answers it again.",
  reported: "As its issue said. What runs now is not known here.",
};

/** Never by colour alone: always a word. */
function HealedMark({ state }: { state: HealedRoute["state"] }) {
  return (
    <span className={`state ${looks[state]}`} title={says[state]}>
      {state}
    </span>
  );
}

function RunsOn({ on, release, project }: { on: string | undefined; release: string; project: string }) {
  if (on === undefined) return "–";
  if (on === release) return <span>{shownRelease(on)}</span>;
  return <ReleaseName name={on} project={project} />;
}

function ReleaseName({ name, project }: { name: string | undefined; project: string }) {
  return name === undefined ? "The build before" : <ReleaseLink project={project} name={name} />;
}

function TriedAt({ at }: { at: number }) {
  return (
    <>
      {" "}
      Tried again at <ExactTime at={at} />.
    </>
  );
}

function IssueLink({ number, project }: { number: number | undefined; project: string }) {
  if (number === undefined) return "–";
  return (
    <Link to="/[project]/issues/[number]" params={{ project, number: String(number) }}>
      #{number}
    </Link>
  );
}

interface ChoicesProps {
  healed: HealedRoute;
  before: string | undefined;
  release: string;
  pin: ActionRef | undefined;
}

function Choices({ healed, before, release, pin }: ChoicesProps) {
  if (!pin || healed.choices.length === 0) return null;
  const words: Readonly<Record<PinWish, string>> = {
    before: `Stay on ${before === undefined ? "it" : shownRelease(before)}`,
    new: `Run on ${shownRelease(release)}`,
    unpin: "Unpin",
  };
  return (
    <Form action={pin} of="pin" notices={false}>
      <input type="hidden" name="route" value={healed.route} />
      {healed.choices.map((wish) => (
        <button key={wish} type="submit" className="quiet" name="do" value={wish}>
          {words[wish]}
        </button>
      ))}
    </Form>
  );
}

interface PinAnotherProps {
  pinnable: readonly string[];
  before: string | undefined;
  pin: ActionRef;
}

function PinAnother({ pinnable, before, pin }: PinAnotherProps) {
  return (
    <details>
      <summary>Run another route on {before === undefined ? "the build before" : shownRelease(before)}</summary>
      <Form action={pin} of="pin" notices={false} className="compared">
        <label>
          Route{" "}
          <select name="route">
            {pinnable.map((route) => (
              <option key={route}>{route}</option>
            ))}
          </select>
        </label>
        <button type="submit" name="do" value="before">
          Pin it
        </button>
      </Form>
    </details>
  );
}

function Elsewhere() {
  return (
    <p className="second">
      The application runs elsewhere, and this is what it has reported. On its machine,{" "}
      <code>npx holdfast releases</code> shows what runs now, and <code>npx holdfast releases pin ROUTE before</code>{" "}
      chooses.
    </p>
  );
}
