import type { ReactNode } from "react";

/** Figures side by side. */
export function NumberList({ numbers }: { numbers: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="numbers">
      {Object.entries(numbers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
