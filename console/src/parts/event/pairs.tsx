import type { Pair } from "../../server/show-event.ts";

/** Names and values in two columns. Some values lead somewhere. */
export function Pairs({
  pairs,
  links = {},
}: {
  pairs: readonly Pair[];
  links?: Readonly<Record<string, string | undefined>>;
}) {
  return (
    <dl className="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{links[name] === undefined ? value : <a href={links[name]}>{value}</a>}</dd>
        </div>
      ))}
    </dl>
  );
}
