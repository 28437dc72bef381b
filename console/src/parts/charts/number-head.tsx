import type { ReactNode } from "react";

/** The heading of a column of numbers, which stand at its right edge. */
export function NumberHead({ children }: { children: ReactNode }) {
  return (
    <th scope="col" className="number">
      {children}
    </th>
  );
}
