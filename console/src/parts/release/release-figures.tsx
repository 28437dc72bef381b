import { Link } from "holdfast";
import { milliseconds, short } from "../charts/numbers.ts";

/** Number of issues, linked to their list. */
export function IssueCount({ project, n, q }: { project: string; n: number; q: string }) {
  if (n === 0) return "0";
  return (
    <Link to="/[project]/issues" params={{ project }} search={{ q, tab: "all" }}>
      {short(n)}
    </Link>
  );
}

/** A vital at p75, and its change since the previous release. */
export function VitalChange({ vital, change }: { vital: { p75: number } | undefined; change: number | undefined }) {
  if (!vital) return "–";
  return (
    <>
      {milliseconds(vital.p75)}{" "}
      {change !== undefined && Math.abs(change) >= 1 && (
        <span className={`rating ${change > 0 ? "poor" : "good"}`}>
          {change > 0 ? "slower by" : "quicker by"} {milliseconds(Math.abs(change))}
        </span>
      )}
    </>
  );
}
