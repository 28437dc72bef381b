import { type ActionRef, Form, href, Link } from "holdfast";
import { Attached } from "../../parts/settings/attached.tsx";
import { Audit } from "../../parts/settings/audit.tsx";
import { Members } from "../../parts/settings/members.tsx";
import { Reports } from "../../parts/settings/reports.tsx";
import { Said } from "../../parts/settings/said.tsx";
import { Scrubbing } from "../../parts/settings/scrubbing.tsx";
import { Storage } from "../../parts/settings/storage.tsx";
import { SourceLinks, Uploads } from "../../parts/settings/uploads.tsx";

type Props = PageProps<"/[project]/settings">;

export default function Settings({ data, actions }: Props) {
  return (
    <main className="settings">
      <title>Settings · Holdfast</title>
      <meta name="description" content="Reports, uploads, members, storage, scrubbing and projects." />
      <h1>Settings of {data.project.name}</h1>
      <nav className="choices" aria-label="Parts of the settings">
        {sections.map(
          ([id, name, isShown]) =>
            isShown(data) && (
              <a key={id} href={`#${id}`}>
                {name}
              </a>
            ),
        )}
        <a href={href("/[project]/settings/tokens", { project: data.project.id })}>Tokens</a>
        <Link to="/[project]/settings/keys" params={{ project: data.project.id }}>
          Keys and limits
        </Link>
        <Link to="/[project]/settings/filters" params={{ project: data.project.id }}>
          Filters
        </Link>
        <Link to="/[project]/settings/ownership" params={{ project: data.project.id }}>
          Ownership
        </Link>
        <Link to="/[project]/settings/tickets" params={{ project: data.project.id }}>
          Tickets
        </Link>
        {data.isOwner && <a href={href("/[project]/settings/erase", { project: data.project.id })}>Forgetting</a>}
      </nav>
      {data.reports && <Reports {...data.reports} action={data.isOwner ? actions.renewKey : undefined} />}
      {data.uploadTokens && <Uploads tokens={data.uploadTokens} now={data.now} action={actions.uploads} />}
      {data.sourceLink !== undefined && <SourceLinks template={data.sourceLink} action={actions.sourceLink} />}
      {data.members && <Members {...data.members} now={data.now} action={actions.members} />}
      <Storage {...data.storage} action={data.decidesAll ? actions.storage : undefined} />
      <Attached limits={data.attachments} action={data.decidesAll ? actions.attached : undefined} />
      {data.scrub && (
        <Scrubbing scrub={data.scrub} action={data.decidesAll ? actions.scrubbing : undefined} trial={actions.trial} />
      )}
      {(data.isOwner || data.decidesAll) && (
        <Project name={data.project.name} rename={actions.rename} add={data.decidesAll ? actions.add : undefined} />
      )}
      {data.audit && <Audit entries={data.audit} now={data.now} />}
    </main>
  );
}

const sections: readonly (readonly [id: string, name: string, isShown: (data: Props["data"]) => boolean])[] = [
  ["dsn", "Reports", ({ reports }) => reports !== undefined],
  ["uploads", "Uploads", ({ uploadTokens }) => uploadTokens !== undefined],
  ["source-links", "Source links", ({ sourceLink }) => sourceLink !== undefined],
  ["members", "Members", ({ members }) => members !== undefined],
  ["storage", "Storage", () => true],
  ["attached", "Attached files", () => true],
  ["scrubbing", "Scrubbing", ({ scrub }) => scrub !== undefined],
  ["projects", "Projects", ({ isOwner, decidesAll }) => isOwner || decidesAll],
  ["audit", "Audit", ({ audit }) => audit !== undefined],
];

function Project({ name, rename, add }: { name: string; rename: ActionRef; add: ActionRef | undefined }) {
  return (
    <section aria-labelledby="projects">
      <h2 id="projects">Projects</h2>
      <Form action={rename}>
        {(form) => (
          <>
            <div className="asks">
              <label>
                Name of this project
                <input {...form.field("name")} defaultValue={name} maxLength={80} required />
                <span {...form.error("name")} className="problem" />
              </label>
              <button type="submit">Rename</button>
            </div>
            <Said form={form} />
          </>
        )}
      </Form>
      {add && (
        <Form action={add} className="asks">
          {(form) => (
            <>
              <label>
                Name of a new project
                <input {...form.field("name")} maxLength={80} required />
                <span {...form.error("name")} className="problem" />
              </label>
              <button type="submit">Make it</button>
            </>
          )}
        </Form>
      )}
    </section>
  );
}
