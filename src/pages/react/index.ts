export type { ErrorProps } from "../parts.ts";
export { actionsOf } from "./actions.ts";
export { Await } from "./await.tsx";
export { builtInStyle } from "./built-in-page.tsx";
export { PageContext, type PageContextValue, usePage } from "./page-context.ts";
export { type FolderFiles, PageTree, type ViewModules } from "./page-tree.tsx";
