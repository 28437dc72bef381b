import "../../look/try.css";
import { usePage } from "holdfast";
import { Code } from "../../parts/code.tsx";
import { findExperiment, groups } from "../../try/experiments.ts";
import { Panels } from "../../try/panels.tsx";

/** Layout of every experiment: its rule above, its source below, the others beside it. */
export default function TryFrame({ data, children }: LayoutProps<"/try">) {
  const { path } = usePage();
  const experiment = findExperiment(path);
  return (
    <div className="with-side wide">
      <nav className="side" aria-label="Experiments">
        {groups.map(({ name, experiments }) => (
          <details key={name} open={experiment === undefined || experiments.includes(experiment)}>
            <summary>
              <h2>{name}</h2>
            </summary>
            <ul>
              {experiments.map(({ path: to, title }) => (
                <li key={to}>
                  <a
                    href={to}
                    aria-current={experiment?.path === to ? "page" : undefined}
                    data-prefetch={to.startsWith("/try/break/") ? "none" : undefined}
                  >
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </nav>
      <main className="try">
        {experiment && (
          <>
            <title>{`${experiment.title} – Holdfast`}</title>
            <meta name="description" content={experiment.rule} />
            <header>
              <h1>{experiment.title}</h1>
              <p>{experiment.rule}</p>
              <p className="see">{experiment.see}</p>
            </header>
          </>
        )}
        {children}
        <Panels />
        {experiment && (
          <footer>
            <p>
              Explained in <a href={`/docs/${experiment.guide}`}>{data.guideTitle}</a>.
            </p>
            {data.sources.map(({ file, pieces }) => (
              <details key={file}>
                <summary>
                  Source: <code>{file}</code>
                </summary>
                <Code pieces={pieces} />
              </details>
            ))}
          </footer>
        )}
      </main>
    </div>
  );
}
