import { Form, Link } from "holdfast";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Said } from "../../../parts/settings/said.tsx";

export default function Tickets({ data, actions }: PageProps<"/[project]/settings/tickets">) {
  const { project, template, known, isOwner } = data;
  return (
    <main className="settings">
      <title>Tickets · Holdfast</title>
      <meta name="description" content="Where tickets about issues are opened." />
      <p>
        <Link to="/[project]/settings" params={{ project: project.id }}>
          Settings
        </Link>
      </p>
      <h1>Tickets of {project.name}</h1>
      <section aria-labelledby="template">
        <h2 id="template">Where tickets are opened</h2>
        <p>
          An issue gets a button that opens a new ticket, with its title and its newest event filled in. Nothing is sent
          by itself: you see the ticket before you save it. Its address is then kept on the issue.
        </p>
        {isOwner ? (
          <Form action={actions.template}>
            {(form) => (
              <>
                <div className="sheet wide-sheet">
                  <label>
                    Address of a new ticket
                    <input
                      {...form.field("template")}
                      defaultValue={form.field("template").defaultValue ?? template}
                      maxLength={1000}
                      placeholder="https://tickets.example/new?title={title}&body={body}"
                    />
                    <span {...form.error("template")} className="problem" />
                  </label>
                  <button type="submit">Keep it</button>
                </div>
                <p className="second">
                  <code>{"{title}"}</code> is the title of the issue, <code>{"{body}"}</code> its newest event as
                  Markdown, <code>{"{address}"}</code> the issue in the console.
                </p>
                <Said form={form} />
              </>
            )}
          </Form>
        ) : (
          <p className="breaks">{template === "" ? "There is none." : <code>{template}</code>}</p>
        )}
      </section>
      {isOwner && (
        <section aria-labelledby="known">
          <h2 id="known">Known services</h2>
          <p>Replace what is written in capitals.</p>
          <ul className="plain setting-rows">
            {known.map((one) => (
              <li key={one.name}>
                <h3>{one.name}</h3>
                <p className="digest-box">
                  <code className="breaks dsn">{one.template}</code> <CopyButton text={one.template}>Copy</CopyButton>
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="commits">
        <h2 id="commits">Commits</h2>
        <p>
          A commit whose message says <code>Fixes HOLDFAST-12</code>, or names the address of the issue, resolves issue
          12 in the release that it is part of. <code>Closes</code> and <code>Resolves</code> do the same.
        </p>
      </section>
    </main>
  );
}
