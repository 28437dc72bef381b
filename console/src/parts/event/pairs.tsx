import type { Pair } from "../../server/show-event.ts";

/** Names and values in two columns. */
export function Pairs({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <dl className="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
