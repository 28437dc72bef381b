import { Form } from "holdfast";
import { Said } from "../../parts/settings/said.tsx";

type Props = PageProps<"/[project]/searches">;
type Search = Props["data"]["searches"][number];

const screenNames = { issues: "Issues", logs: "Logs", spans: "Spans" } as const;

/** Searches under a name: own ones, and those that the project shares. */
export default function Searches({ data, actions }: Props) {
  const { draft, searches, mayShare } = data;
  return (
    <main>
      <title>Saved searches · Holdfast</title>
      <meta name="description" content="Searches of issues, logs and spans under a name." />
      <h1>Saved searches</h1>
      {draft && (
        <section aria-labelledby="save">
          <h2 id="save">Save a search of {screenNames[draft.screen]}</h2>
          <p>
            <a href={draft.to}>
              <code className="breaks">{draft.words || "Everything"}</code>
            </a>
          </p>
          <Form action={actions.save}>
            {(form) => (
              <>
                <div className="asks">
                  <input type="hidden" name="screen" value={draft.screen} />
                  <input type="hidden" name="search" value={draft.search} />
                  <label>
                    Name
                    <input {...form.field("name")} maxLength={60} required />
                    <span {...form.error("name")} className="problem" />
                  </label>
                  {mayShare && (
                    <label className="check">
                      <input type="checkbox" name="shared" value="yes" />
                      For everyone in the project
                    </label>
                  )}
                  <button type="submit">Save</button>
                </div>
                <Said form={form} />
              </>
            )}
          </Form>
        </section>
      )}
      {searches.length === 0 ? (
        <div className="empty">
          <h2>Nothing is saved yet</h2>
          <p>The menu Saved of issues, logs and spans keeps their search under a name.</p>
        </div>
      ) : (
        <ul className="plain saved">
          {searches.map((search) => (
            <Row key={search.id} search={search} mayChange={mayShare || !search.isShared} actions={actions} />
          ))}
        </ul>
      )}
    </main>
  );
}

function Row({ search, mayChange, actions }: { search: Search; mayChange: boolean; actions: Props["actions"] }) {
  return (
    <li>
      <a href={search.to}>{search.name}</a>{" "}
      <span className="second">
        {screenNames[search.screen]}
        {search.isShared && ", shared"} <code className="breaks">{search.words}</code>
      </span>
      {mayChange && (
        <details className="menu">
          <summary aria-label={`Change ${search.name}`}>Change</summary>
          <Form action={actions.rename} of={search.id}>
            {(form) => (
              <div className="asks">
                <input type="hidden" name="id" value={search.id} />
                <label>
                  New name
                  <input {...form.field("name")} defaultValue={search.name} maxLength={60} required />
                  <span {...form.error("name")} className="problem" />
                </label>
                <button type="submit">Rename</button>
                <Said form={form} />
              </div>
            )}
          </Form>
          <Form action={actions.remove} of={search.id}>
            <input type="hidden" name="id" value={search.id} />
            <button type="submit">Remove</button>
          </Form>
        </details>
      )}
    </li>
  );
}
