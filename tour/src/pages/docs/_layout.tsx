import "../../look/try.css";
import "../../look/docs.css";
import { usePage } from "holdfast";

/** Layout of the documentation: search and contents beside the text. */
export default function DocsFrame({ data, children }: LayoutProps<"/docs">) {
  const { path, search } = usePage();
  const asked = path === "/docs/search" ? (new URLSearchParams(search).get("q") ?? "") : "";
  return (
    <div className="with-side wide">
      <div className="side docs-side">
        <search>
          <form action="/docs/search" method="get">
            <input
              key={asked}
              type="search"
              name="q"
              aria-label="Search the documentation"
              placeholder="Search"
              defaultValue={asked}
            />
          </form>
        </search>
        <nav aria-label="Documentation">
          {data.contents.map(({ title, guides }) => (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {guides.map((guide) => (
                  <li key={guide.name}>
                    <a href={`/docs/${guide.name}`} aria-current={path === `/docs/${guide.name}` ? "page" : undefined}>
                      {guide.title}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
      </div>
      <main>{children}</main>
    </div>
  );
}
