import { type FormState, href } from "holdfast";
import type { KeptSaid as Result } from "../../server/kept/kept-actions.ts";

/** What came of a press, with a table where it was about several. */
export function KeptSaid({ form, project }: { form: FormState; project: string }) {
  const { result, errors } = form;
  const done = isSaid(result) ? result : undefined;
  return (
    <div role="status" className={done?.isProblem || errors.length > 0 ? "problem" : undefined}>
      {done?.said ?? errors.join(" ")}
      {done?.table && <Outcomes table={done.table} project={project} />}
    </div>
  );
}

function Outcomes({ table, project }: { table: NonNullable<Result["table"]>; project: string }) {
  return (
    <table className="kept-outcomes">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Outcome</th>
        </tr>
      </thead>
      <tbody>
        {table.flatMap(({ outcome, codes }) =>
          codes.map((code) => (
            <tr key={code}>
              <th scope="row">
                <a href={href("/[project]/kept", { project }, { code })}>{code}</a>
              </th>
              <td className="breaks">{outcome}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

function isSaid(result: unknown): result is Result {
  return typeof result === "object" && result !== null && "said" in result && "isProblem" in result;
}
