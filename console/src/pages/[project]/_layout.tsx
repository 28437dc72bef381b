import { Link, usePage } from "holdfast";
import { Mark } from "../../../../look/mark.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { FindBox } from "../../parts/keys-and-search/find-box.tsx";
import { KeyHelp } from "../../parts/keys-and-search/key-help.tsx";
import { useKeys } from "../../parts/keys-and-search/keys.ts";

/** Frame of a project: the navigation rail and the search box. */
export default function Frame({ data, children }: LayoutProps<"/_holdfast/[project]">) {
  const { path } = usePage();
  useKeys();
  const home = `/_holdfast/${data.project.id}`;
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="head">
        <Link className="brand" to="/_holdfast" aria-label="Holdfast, to the start">
          <Mark size={24} />
        </Link>
        <Projects projects={data.projects} current={data.project} />
        <FindBox project={data.project.id} />
        <KeyHelp />
        <Who name={data.name} mayLeave={data.hasAccounts} />
      </header>
      <nav className="rail" aria-label="Screens">
        {screens.map(({ at, name, icon }) => (
          <a key={at} href={home + at} aria-current={isWithin(path, home + at, at) ? "page" : undefined}>
            <Icon name={icon} />
            {name}
          </a>
        ))}
      </nav>
      <div className="content" id="content">
        {children}
      </div>
    </div>
  );
}

const screens: readonly { at: string; name: string; icon: IconName }[] = [
  { at: "", name: "Overview", icon: "overview" },
  { at: "/issues", name: "Issues", icon: "issues" },
  { at: "/pages", name: "Pages", icon: "pages" },
  { at: "/releases", name: "Releases", icon: "releases" },
  { at: "/live", name: "Live", icon: "live" },
  { at: "/settings", name: "Settings", icon: "settings" },
];

function isWithin(path: string, address: string, at: string): boolean {
  return path === address || (at !== "" && path.startsWith(`${address}/`));
}

/** A plain form, so that nothing of these pages stays in the tab after signing out. */
function Who({ name, mayLeave }: { name: string; mayLeave: boolean }) {
  if (!mayLeave) return <span className="who">{name}</span>;
  return (
    <details className="menu who">
      <summary>{name}</summary>
      <ul>
        <li>
          <form method="post" action="/_holdfast/sign-in/_action/signOut" data-hard="">
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
            <a href={`/_holdfast/${id}/issues`} aria-current={id === current.id ? "true" : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
