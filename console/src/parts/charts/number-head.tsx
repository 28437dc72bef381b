import type { ReactNode } from "react";

/** Heading of a right-aligned column of numbers. */
export function NumberHead({ children }: { children: ReactNode }) {
  return (
    <th scope="col" className="number">
      {children}
    </th>
  );
}
