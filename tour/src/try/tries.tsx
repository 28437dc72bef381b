import type { ReactNode } from "react";

/** Addresses to try, each with its expected result. */
export function Tries({
  tries,
  link,
}: {
  tries: readonly { href: string; says: string }[];
  link: (href: string) => ReactNode;
}) {
  return (
    <ul className="plain-list">
      {tries.map(({ href, says }) => (
        <li key={href}>
          {link(href)}
          <br />
          <span className="muted">{says}</span>
        </li>
      ))}
    </ul>
  );
}
