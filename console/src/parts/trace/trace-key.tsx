import { milliseconds } from "../charts/numbers.ts";

interface TraceKeyProps {
  kinds: readonly { kind: string; name: string; ms: number }[];
  criticalMs: number;
  hasFailed: boolean;
}

/** The colours of the bars, with the time for which the trace waited for each kind. */
export function TraceKey({ kinds, criticalMs, hasFailed }: TraceKeyProps) {
  return (
    <ul className="plain key" aria-label="Colours">
      {kinds.map(({ kind, name, ms }) => (
        <li key={kind} className={`k-${kind}`}>
          <i className="dot" />
          {name}
          {ms > 0 && <strong> {milliseconds(ms)}</strong>}
        </li>
      ))}
      {hasFailed && (
        <li className="k-failed">
          <i className="dot" />▲ Failed
        </li>
      )}
      <li>
        <i className="dash" />
        Critical path<strong> {milliseconds(criticalMs)}</strong>
      </li>
    </ul>
  );
}
