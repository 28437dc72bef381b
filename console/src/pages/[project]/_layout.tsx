import { href, Link, type PageId, usePage } from "holdfast";
import { Mark } from "../../../../look/mark.tsx";
import { Environments } from "../../parts/environments.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Initials } from "../../parts/initials.tsx";
import { FindBox } from "../../parts/keys-and-search/find-box.tsx";
import { KeyHelp } from "../../parts/keys-and-search/key-help.tsx";
import { useKeys } from "../../parts/keys-and-search/keys.ts";
import { SignOut } from "../../parts/sign-out.tsx";
import { useZone, Zone } from "../../parts/time/zone.ts";

/** Frame of a project: navigation at the side, the search above the screen. On a phone the navigation is below. */
export default function Frame({ data, actions, children }: LayoutProps<"/[project]">) {
  useKeys();
  const { project } = data;
  // Menus are closed on the next screen.
  const { path } = usePage();
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="side">
        <div className="place-line">
          <Link className="brand" to="/" aria-label="Holdfast, to the start">
            <Mark size={22} />
          </Link>
          <Projects key={path} projects={data.projects} current={project} />
          <Environments known={data.environments} chosen={data.environment} action={actions.environment} />
          <label className="find-link" htmlFor="find">
            <Icon name="search" />
            <span className="unseen">Find</span>
          </label>
        </div>
        <nav className="rail" aria-label="Screens">
          {screens.map((screen) => (
            <ScreenLink key={screen.route} project={project.id} screen={screen} news={data.news} />
          ))}
          <details className="menu more" key={path}>
            <summary>
              <Icon name="more" />
              Menu
            </summary>
            <ul>
              {screens
                .filter(({ rare }) => rare)
                .map((screen) => (
                  <li key={screen.route}>
                    <ScreenLink project={project.id} screen={screen} />
                  </li>
                ))}
              <li>
                <ScreenLink project={project.id} screen={ownScreen} />
              </li>
            </ul>
          </details>
        </nav>
        <div className="who-line">
          <Who key={path} name={data.name} project={project.id} mayLeave={data.hasAccounts} />
          <KeyHelp />
        </div>
      </header>
      <div className="window">
        <div className="head">
          <FindBox project={project.id} />
        </div>
        <div className="content" id="content">
          <Zone value={useZone(data.times)}>{children}</Zone>
        </div>
      </div>
    </div>
  );
}

interface Screen {
  route: "/[project]" | Extract<PageId, `/[project]/${IconName}`>;
  name: string;
  icon: IconName;
  /** In the menu on a phone: five tabs fit. */
  rare?: "rare";
}

const screens: readonly Screen[] = [
  { route: "/[project]", name: "Overview", icon: "overview" },
  { route: "/[project]/issues", name: "Issues", icon: "issues" },
  { route: "/[project]/pages", name: "Pages", icon: "pages" },
  { route: "/[project]/logs", name: "Logs", icon: "logs", rare: "rare" },
  { route: "/[project]/spans", name: "Spans", icon: "spans", rare: "rare" },
  { route: "/[project]/releases", name: "Releases", icon: "releases", rare: "rare" },
  { route: "/[project]/feedback", name: "Feedback", icon: "feedback", rare: "rare" },
  { route: "/[project]/schedules", name: "Schedules", icon: "schedules", rare: "rare" },
  { route: "/[project]/balance", name: "Balance", icon: "balance", rare: "rare" },
  { route: "/[project]/live", name: "Live", icon: "live" },
  { route: "/[project]/alerts", name: "Alerts", icon: "alerts", rare: "rare" },
  { route: "/[project]/settings", name: "Settings", icon: "settings", rare: "rare" },
];

const ownScreen: Screen = { route: "/[project]/me", name: "Your settings", icon: "me" };

interface ScreenLinkProps {
  project: number;
  screen: Screen;
  /** Beside the name of a screen: what asks for a decision there. */
  news?: Partial<Record<IconName, string>>;
}

function ScreenLink({ project, screen: { route, name, icon, rare }, news }: ScreenLinkProps) {
  const { path } = usePage();
  const address = href(route, { project });
  return (
    <a href={address} className={rare} aria-current={isWithin(path, address, route) ? "page" : undefined}>
      <Icon name={icon} />
      {name} <b>{news?.[icon]}</b>
    </a>
  );
}

/** Every screen is below the address of the overview. */
function isWithin(path: string, address: string, route: PageId): boolean {
  return path === address || (route !== "/[project]" && path.startsWith(`${address}/`));
}

function Who({ name, project, mayLeave }: { name: string; project: number; mayLeave: boolean }) {
  return (
    <details className="menu who">
      <summary>
        <Initials of={name} />
        <span>{name}</span>
      </summary>
      <ul>
        <li>
          <a href={href(ownScreen.route, { project })}>Your settings</a>
        </li>
        {mayLeave && (
          <li>
            <SignOut />
          </li>
        )}
      </ul>
    </details>
  );
}

interface Project {
  id: number;
  name: string;
}

function Projects({ projects, current }: { projects: readonly Project[]; current: Project }) {
  if (projects.length < 2) return <span className="project">{current.name}</span>;
  return (
    <details className="menu project">
      <summary>{current.name}</summary>
      <ul>
        {projects.map(({ id, name }) => (
          <li key={id}>
            <a href={href("/[project]/issues", { project: id })} aria-current={id === current.id ? "true" : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
