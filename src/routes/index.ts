export { addressBelow, pathBelow } from "./below.ts";
export { type BadPath, type CanonicalPath, canonicalPath } from "./canonical-path.ts";
export { createFinder } from "./find-route.ts";
export { href, type ParamInput, targetAddress, typedHref } from "./href.ts";
export { createMatcher, type Matcher, noParams, type RouteMatch } from "./match-route.ts";
export { budgetNames, type PageBudget } from "./page-budget.ts";
export { readPageFiles } from "./read-page-files.ts";
export { readParameter } from "./read-segment.ts";
export type { FolderEntry, PathSegment, RouteEntry, RouteTable } from "./route-table.ts";
export type { SearchInput, SearchValue } from "./search-input.ts";
export { segmentsOfId } from "./segments-of-id.ts";
export type {
  ActionRef,
  AfterTarget,
  FolderId,
  LayoutData,
  LinkParams,
  LinkTarget,
  LinkText,
  LinkTo,
  LocalsOf,
  PageActions,
  PageData,
  PageId,
  RouteId,
  RouteParams,
} from "./typed-routes.ts";
export { writePathSegment } from "./write-segment.ts";
