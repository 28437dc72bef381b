import { type ActionRef, Form, usePage } from "holdfast";

interface EnvironmentsProps {
  known: readonly string[];
  chosen: string | undefined;
  action: ActionRef;
}

/** Choice of the environment for all screens. With one environment there is nothing to choose. */
export function Environments({ known, chosen, action }: EnvironmentsProps) {
  const { path, search } = usePage();
  const to = new URLSearchParams(search);
  to.delete("environment");
  to.delete("after");
  const names = chosen === undefined || known.includes(chosen) ? known : [chosen, ...known];
  if (names.length < 2) return null;
  return (
    <details className="menu environments" key={chosen}>
      <summary aria-label={`Environment: ${chosen ?? "all"}`}>{chosen ?? "All"}</summary>
      <ul>
        <li>
          <Form action={action}>
            <input type="hidden" name="to" value={to.size > 0 ? `${path}?${to}` : path} />
            {["", ...names].map((name) => (
              <button
                key={name}
                type="submit"
                name="environment"
                value={name}
                aria-current={name === (chosen ?? "") ? "true" : undefined}
              >
                {name || "All environments"}
              </button>
            ))}
          </Form>
        </li>
      </ul>
    </details>
  );
}
