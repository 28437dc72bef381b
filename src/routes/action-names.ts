/**
 * Names of actions, as their addresses have them. A page's own action has the name that its author gave it. Others have
 * their file before it, so that no two have the same name: `shop/_layout/save` of `src/pages/shop/_layout.server.ts`.
 * The author's name has no slash, because no address can have an encoded one.
 */

/**
 * The start of the names of the actions in a file of their own, by its path below `src`: `parts/cart.actions/` for
 * `parts/cart.actions.server.ts`. Undefined for other files.
 */
export function fileActions(file: string): string | undefined {
  const [, name] = /^(.+\.actions)\.server\.[jt]sx?$/.exec(file) ?? [];
  return name === undefined ? undefined : `${name}/`;
}

/** The start of the names of a layout's actions. `folder` is the folder's id: `/shop`. */
export function layoutActions(folder: string): string {
  return `${folder}/_layout/`.replace(/^\/+/, "");
}
