import type { SavedLinks } from "../server/saved-searches.ts";

/** Saved searches of a screen, and the way to save the present one. */
export function SavedMenu({ saved: { links, save } }: { saved: SavedLinks }) {
  return (
    <details className="menu saved-menu">
      <summary className="button">Saved</summary>
      <ul>
        {links.map(({ id, name, to }) => (
          <li key={id}>
            <a href={to}>{name}</a>
          </li>
        ))}
        <li>
          <a href={save}>Save this search …</a>
        </li>
      </ul>
    </details>
  );
}
