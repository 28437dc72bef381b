import "../../../look/tokens.css";
import "../look/base.css";
import "../look/controls.css";
import "../look/frame.css";
import { usePage } from "holdfast";
import { Mark } from "../../../look/mark.tsx";

const sections = [
  { to: "/try", name: "Try it" },
  { to: "/docs", name: "Docs" },
];

export default function Frame({ children }: LayoutProps<"/">) {
  const { path } = usePage();
  return (
    <>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <a className="hidden-until-focus" href="#content">
        Skip to the content
      </a>
      <header className="site-head">
        <div>
          <a className="brand" href="/">
            <Mark />
            Holdfast
          </a>
          <nav aria-label="Sections">
            {sections.map(({ to, name }) => (
              <a key={to} href={to} aria-current={isWithin(path, to) ? "true" : undefined}>
                {name}
              </a>
            ))}
            <a href="/_holdfast" data-hard="">
              Console
            </a>
          </nav>
        </div>
      </header>
      <div className="site-body" id="content">
        {children}
      </div>
      <footer className="site-foot">
        <div>
          <p>This tour is a Holdfast application: what you see here is what yours does.</p>
          <p>
            MIT licence · <a href="/llms.txt">llms.txt</a>
          </p>
        </div>
      </footer>
    </>
  );
}

function isWithin(path: string, section: string): boolean {
  return path === section || path.startsWith(`${section}/`);
}
