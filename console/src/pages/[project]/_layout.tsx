import { href, Link, type PageId, usePage } from "holdfast";
import { Mark } from "../../../../look/mark.tsx";
import { Icon } from "../../parts/icon.tsx";
import { FindBox } from "../../parts/keys-and-search/find-box.tsx";
import { KeyHelp } from "../../parts/keys-and-search/key-help.tsx";
import { useKeys } from "../../parts/keys-and-search/keys.ts";

/** Frame of a project: the navigation rail and the search box. */
export default function Frame({ data, children }: LayoutProps<"/[project]">) {
  const { path } = usePage();
  useKeys();
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="head">
        <Link className="brand" to="/" aria-label="Holdfast, to the start">
          <Mark size={24} />
        </Link>
        <Projects projects={data.projects} current={data.project} />
        <FindBox project={data.project.id} />
        <KeyHelp />
        <Who name={data.name} mayLeave={data.hasAccounts} />
      </header>
      <nav className="rail" aria-label="Screens">
        {screens.map(({ route, name, icon }) => {
          const address = href(route, { project: data.project.id });
          return (
            <a key={route} href={address} aria-current={isWithin(path, address, route) ? "page" : undefined}>
              <Icon name={icon} />
              {name}
            </a>
          );
        })}
      </nav>
      <div className="content" id="content">
        {children}
      </div>
    </div>
  );
}

const screens = [
  { route: "/[project]", name: "Overview", icon: "overview" },
  { route: "/[project]/issues", name: "Issues", icon: "issues" },
  { route: "/[project]/feedback", name: "Feedback", icon: "feedback" },
  { route: "/[project]/pages", name: "Pages", icon: "pages" },
  { route: "/[project]/releases", name: "Releases", icon: "releases" },
  { route: "/[project]/schedules", name: "Schedules", icon: "schedules" },
  { route: "/[project]/live", name: "Live", icon: "live" },
  { route: "/[project]/alerts", name: "Alerts", icon: "alerts" },
  { route: "/[project]/settings", name: "Settings", icon: "settings" },
] as const;

/** Every screen is below the address of the overview. */
function isWithin(path: string, address: string, route: PageId): boolean {
  return path === address || (route !== "/[project]" && path.startsWith(`${address}/`));
}

/** A plain form, so that nothing of these pages stays in the tab after signing out. */
function Who({ name, mayLeave }: { name: string; mayLeave: boolean }) {
  if (!mayLeave) return <span className="who">{name}</span>;
  return (
    <details className="menu who">
      <summary>{name}</summary>
      <ul>
        <li>
          <form method="post" action={`${href("/sign-in")}/_action/signOut`} data-hard="">
            <button type="submit">Sign out</button>
          </form>
        </li>
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
