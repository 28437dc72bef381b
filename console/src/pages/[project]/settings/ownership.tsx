import { type ActionRef, Form, type FormState, Link } from "holdfast";
import { many } from "../../../parts/charts/numbers.ts";
import { Said } from "../../../parts/settings/said.tsx";

type Props = PageProps<"/[project]/settings/ownership">;

export default function Ownership({ data, actions }: Props) {
  const { project, ownership, isOwner } = data;
  return (
    <main className="settings">
      <title>Ownership · Holdfast</title>
      <meta name="description" content="Rules that assign new issues to people." />
      <p>
        <Link to="/[project]/settings" params={{ project: project.id }}>
          Settings
        </Link>
      </p>
      <h1>Ownership of {project.name}</h1>
      <section aria-labelledby="rules">
        <h2 id="rules">Who gets which issues</h2>
        <p>
          A new issue is assigned to the person of the last rule that matches it; so is one that comes back and has no
          assignee. What a person has decided stays.
        </p>
        <Examples />
        {ownership === undefined ? (
          <p>The rules name people. Members of the project see them.</p>
        ) : (
          <>
            <Strangers lines={ownership.strangers} />
            {isOwner ? (
              <Rules action={actions.rules} saved={ownership.rules} project={project.id} />
            ) : (
              <pre className="notice">{ownership.rules === "" ? "There are no rules." : ownership.rules}</pre>
            )}
          </>
        )}
      </section>
    </main>
  );
}

const examples = [
  ["path:src/checkout/**", "a file of the application in the stack, as source maps name it"],
  ["route:/orders/**", "the route of the page or request"],
  ["url:*/checkout*", "the address of the page or request"],
  ["tag:plan=enterprise", "a tag of the event"],
] as const;

function Examples() {
  return (
    <dl className="pairs">
      {examples.map(([rule, meaning]) => (
        <div key={rule}>
          <dt>
            <code>{rule}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Rules that are saved, and assign nothing. */
function Strangers({ lines }: { lines: readonly { line: number; why: string }[] }) {
  if (lines.length === 0) return null;
  return (
    <ul className="plain notice">
      {lines.map(({ line, why }) => (
        <li key={line} className="breaks">
          Line {line}: {why}
        </li>
      ))}
    </ul>
  );
}

interface RulesProps {
  action: ActionRef;
  saved: string;
  project: number;
}

function Rules({ action, saved, project }: RulesProps) {
  return (
    <Form action={action} className="sheet wide-sheet">
      {(form) => {
        const worked = workedIn(form.result);
        const field = form.field("rules");
        return (
          <>
            <label>
              One rule in a line, and lines with # for comments
              <textarea
                key={worked?.rules}
                {...field}
                defaultValue={worked?.rules ?? field.defaultValue ?? saved}
                rows={12}
                className="code-lines"
                spellCheck={false}
                placeholder={"path:src/checkout/** ada@example.org\nroute:/orders/** bo@example.org"}
              />
              <span {...form.error("rules")} className="problem own-lines" />
            </label>
            <div className="asks">
              <button type="submit" className="primary" name="do" value="save">
                Save the rules
              </button>
              <button type="submit" name="do" value="try">
                Try them on the newest issues
              </button>
            </div>
            <div>
              <Said form={form} />
              <div role="status">
                {worked?.isAdded && "The lines of the file are at the end of the rules. Nothing is saved yet."}
                {worked?.tried && <Tried tried={worked.tried} project={project} />}
              </div>
            </div>
            <Codeowners form={form} />
          </>
        );
      }}
    </Form>
  );
}

function Codeowners({ form }: { form: FormState }) {
  return (
    <details className="group">
      <summary>Add the lines of a CODEOWNERS file</summary>
      <div className="sheet wide-sheet">
        <label>
          Content of the file
          <textarea {...form.field("codeowners")} rows={6} className="code-lines" spellCheck={false} />
          <span {...form.error("codeowners")} className="problem" />
        </label>
        <p className="second">
          Names such as @octocat are unknown here. Replace them by addresses of members before you save.
        </p>
        <button type="submit" name="do" value="codeowners">
          Write as rules
        </button>
      </div>
    </details>
  );
}

interface TriedRules {
  issues: number;
  matching: readonly { number: number; title: string; rule: string; to?: string | undefined }[];
}

function Tried({ tried: { issues, matching }, project }: { tried: TriedRules; project: number }) {
  return (
    <>
      <p>
        {matching.length} of the newest {many(issues, "issue")} {matching.length === 1 ? "matches" : "match"} a rule.
      </p>
      {matching.length > 0 && (
        <ul className="plain setting-rows">
          {matching.map(({ number, title, rule, to }) => (
            <li key={number}>
              <h3 className="breaks">
                <Link to="/[project]/issues/[number]" params={{ project, number }}>
                  #{number} {title}
                </Link>
              </h3>
              <p className="second breaks">
                {to ?? "No member of this project"}, by <code>{rule}</code>
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface Worked {
  rules: string;
  tried?: TriedRules;
  isAdded?: boolean;
}

function workedIn(result: unknown): Worked | undefined {
  return typeof result === "object" && result !== null && "rules" in result ? (result as Worked) : undefined;
}
