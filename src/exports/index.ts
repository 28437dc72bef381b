// biome-ignore-all assist/source/organizeImports: one block per group, each with its own comment.
// The reference types styles, images and `import.meta.env` for applications.
/// <reference types="vite/client" preserve="true" />
/**
 * `holdfast`: what pages and components use, in the browser and on the server.
 * @module
 */

/** An error of the framework itself: `code` never changes, `whatToDo` says how to fix it. */
export { HoldfastError } from "#errors";

/** Links between pages. */
export { Link, type LinkProps } from "#pages/react";

/** Forms that work without JavaScript, and fetchers: they call an action or load another page's data, and stay. */
export {
  type ActionFetcher,
  actionsOf,
  type DataFailure,
  type DataFetcher,
  type DataFetcherOptions,
  type DataOutcome,
  type Fetcher,
  type FetcherOptions,
  Form,
  type FormProps,
  type FormRow,
  type FormRowList,
  FormRows,
  type FormRowsProps,
  type FormState,
  type Posted,
  type SubmissionState,
  useActions,
  useFetcher,
} from "#pages/react";

/** A value as it will be once the calls of a fetcher are done. */
export { type CallFields, type Optimistic, type OptimisticOptions, useOptimistic } from "#pages/react";

/** A form that asks visitors what they think. The console shows their answers. */
export { Feedback, type FeedbackProps, type FeedbackWords } from "#reporting/feedback";

/**
 * Navigation from code: navigate, prefetch, fetch the data again, confirm before leaving, show pending navigations,
 * close a dialog.
 */
export {
  type NavigateOptions,
  type Navigation,
  navigate,
  prefetch,
  type RevalidateOptions,
  revalidate,
  type PageDialog,
  useBlocker,
  useDialog,
  useNavigation,
  useRevalidate,
} from "#pages/react";

/** The search of a page that has a schema, and a function that changes it. */
export { type SearchPage, type SetSearch, type SetSearchOptions, useSearch } from "#pages/react";

/** Links between the pages of a list, and to its orders, by the search of the page. */
export {
  type NumberKey,
  type Pagination,
  type PaginationOptions,
  type SearchAnchor,
  type SortColumn,
  type SortedColumn,
  type SortingOptions,
  usePagination,
  useSorting,
} from "#pages/react";

/** A value that belongs to the present entry of the history: an open tab, a filter. */
export { type HistoryKey, type SetHistoryState, type SetHistoryStateOptions, useHistoryState } from "#pages/react";

/** Lists that grow while the visitor scrolls, and are the same after Back. */
export { type InfiniteList, type InfiniteListOptions, type MoreLink, useInfiniteList } from "#pages/react";

/** A WebSocket to an API route, which reconnects by itself. */
export { type LiveSocket, type SocketEnd, type SocketState, type UseSocketOptions, useSocket } from "#pages/react";

/** The current page, and parts of it that arrive later. */
export { Await, type TypedPage, usePage } from "#pages/react";

/** The language of the current page. */
export { type PageLanguage, useLanguage } from "#pages/react";

/** Images of the application, as `import photo from "./photo.jpg?image"` gives them. */
export { Image, type ImageFile, type ImageProps, type ImageSource } from "#pages/react";

/** Fonts of the application, as `import inter from "./inter.woff2?font"` gives them. */
export { Font, type FontFile, type FontProps } from "#pages/react";

/** What search engines and messengers read of a page. */
export {
  JsonLd,
  type JsonLdProps,
  type JsonLdThing,
  type JsonLdValue,
  OpenGraph,
  type OpenGraphProps,
} from "#pages/react";

/** Scripts of other sites, and the nonce for libraries that write styles. */
export { Script, type ScriptProps, useNonce } from "#pages/react";

/** For `_error` files: their props, and where visitors see whether the error is repaired. */
export { type ErrorProps, useAnswerAddress } from "#pages/react";

/** Events of navigations, prefetches and full page loads, to show or to count them. */
export { onSignal, type Signal } from "#pages/react";

/** Types that the generated declarations of an application use. */
export type {
  ActionRef,
  ActionRefs,
  AfterTarget,
  FolderId,
  Language,
  LayoutActions,
  LayoutData,
  LinkParams,
  LinkSearch,
  LinkTarget,
  LinkText,
  LinkTo,
  PageActions,
  PageData,
  PageId,
  PageParams,
  PageSearch,
  RouteId,
  RouteParams,
  SearchArgument,
  SearchProps,
  SocketGives,
  SocketId,
  SocketTakes,
  TargetArgument,
} from "#routes";

/** The address of a page or API route from its id, its parameters and a search; checked by the compiler. */
export { typedHref as href } from "#routes/href";
