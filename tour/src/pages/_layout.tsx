import "../../../look/fonts/geist-mono.woff2?font";
import "../../../look/tokens.css";
import "../look/base.css";
import "../look/controls.css";
import "../look/frame.css";
import { Font, usePage } from "holdfast";
import inter from "../../../look/fonts/inter.woff2?font";
import { Mark } from "../../../look/mark.tsx";
import { frameWords, WordsContext } from "../languages/frame-words.ts";

const sections = [
  { to: "/try", name: "tryIt" },
  { to: "/docs", name: "docs" },
] as const;

export default function Frame({ data: { words = frameWords }, children }: LayoutProps<"/">) {
  const { path } = usePage();
  return (
    <WordsContext value={words}>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <Font src={inter} />
      <a className="hidden-until-focus" href="#content">
        {words.skip}
      </a>
      <header className="site-head">
        <div>
          <a className="brand" href="/">
            <Mark />
            Holdfast
          </a>
          <nav aria-label={words.sections}>
            {sections.map(({ to, name }) => (
              <a key={to} href={to} aria-current={isWithin(path, to) ? "true" : undefined}>
                {words[name]}
              </a>
            ))}
            <a href="/_holdfast" data-hard="">
              {words.console}
            </a>
          </nav>
        </div>
      </header>
      <div className="site-body" id="content">
        {children}
      </div>
      <footer className="site-foot">
        <div>
          <p>{words.foot}</p>
          <p>
            {words.licence} · <a href="/llms.txt">llms.txt</a>
          </p>
        </div>
      </footer>
    </WordsContext>
  );
}

function isWithin(path: string, section: string): boolean {
  return path === section || path.startsWith(`${section}/`);
}
