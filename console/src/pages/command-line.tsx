import { Form, href } from "holdfast";
import { useEffect } from "react";
import { Mark } from "../../../look/mark.tsx";

type Props = PageProps<"/command-line">;

/** A person permits `holdfast login` to act in their name. */
export default function CommandLine({ data, actions }: Props) {
  const { port, machine, challenge, state, compare, name } = data;
  return (
    <main className="door">
      <title>Command line · Holdfast</title>
      <meta name="robots" content="noindex" />
      <Mark size={40} />
      <h1>Sign in a command line</h1>
      {!data.hasAccount || port === undefined ? (
        <Impossible hasAccount={data.hasAccount} />
      ) : (
        <Form action={actions.permit} className="sheet">
          {(form) => (
            <>
              <p>
                <code>holdfast login</code> on <strong>{machine}</strong> asks to act as <strong>{name}</strong>, for 90
                days. Permit it only if you have just started it, and if it shows <code>{compare}</code>.
              </p>
              <p role="alert">{form.errors.join(" ")}</p>
              {Object.entries({ port, machine, challenge, state }).map(([field, value]) => (
                <input key={field} type="hidden" name={field} value={value} />
              ))}
              <label>
                It may
                <select name="may" defaultValue="triage">
                  <option value="triage">Read, resolve and comment</option>
                  <option value="read">Read</option>
                </select>
              </label>
              {hasBack(form.result) ? (
                <Back to={form.result.back} />
              ) : (
                <button type="submit" className="primary">
                  Permit
                </button>
              )}
            </>
          )}
        </Form>
      )}
      <p className="second">
        <a href={href("/")}>To the console</a>
      </p>
    </main>
  );
}

function Impossible({ hasAccount }: { hasAccount: boolean }) {
  if (hasAccount) return <p className="notice">Start it with holdfast login, which opens this page.</p>;
  return (
    <p className="notice">
      People of this console are signed in by the application. Make a token in the settings of a project, and use it as{" "}
      <code>HOLDFAST_TOKEN</code>.
    </p>
  );
}

/** Goes on by itself. Without JavaScript it is a link. */
function Back({ to }: { to: string }) {
  useEffect(() => location.assign(to), [to]);
  return (
    <p role="status">
      <a href={to}>Back to the command line</a>
    </p>
  );
}

function hasBack(result: unknown): result is { back: string } {
  return typeof result === "object" && result !== null && "back" in result && typeof result.back === "string";
}
