export type { ErrorProps } from "../parts.ts";
export { actionsOf } from "./actions-of.ts";
export { Await } from "./await.tsx";
export type { Blocker, NavigateOptions, NavigationSnapshot } from "./browser-runtime.ts";
export type { DataFailure, DataOutcome } from "./data-outcome.ts";
export { Font, type FontFile, type FontProps } from "./font.tsx";
export { Form, type FormProps, type FormState } from "./form.tsx";
export { type FormRow, type FormRowList, FormRows, type FormRowsProps } from "./form-rows.tsx";
export { Image, type ImageFile, type ImageProps, type ImageSource } from "./image.tsx";
export { JsonLd, type JsonLdProps, type JsonLdThing, type JsonLdValue } from "./json-ld.tsx";
export { Link, type LinkAddressProps, type LinkPresentation, type LinkProps, linkAddress } from "./link.ts";
export { navigate, prefetch, revalidate } from "./navigate.ts";
export { onSignal, type Signal } from "./on-signal.ts";
export { OpenGraph, type OpenGraphProps } from "./open-graph.tsx";
export { PageContext, type PageContextValue, type PageDialog, type TypedPage, usePage } from "./page-context.ts";
export { type FolderFiles, PageTree, type ViewModules } from "./page-tree.tsx";
export { Script, type ScriptProps } from "./script.ts";
export type { Posted, SubmissionState } from "./slots.ts";
export type { SocketEnd, SocketState } from "./socket-link.ts";
export { useActions } from "./use-actions.ts";
export { useAnswerAddress } from "./use-answer-address.ts";
export { useBlocker } from "./use-blocker.ts";
export type { DataFetcher, DataFetcherOptions } from "./use-data-fetcher.ts";
export { useDialog } from "./use-dialog.ts";
export { type ActionFetcher, type Fetcher, type FetcherOptions, useFetcher } from "./use-fetcher.ts";
export {
  type HistoryKey,
  type SetHistoryState,
  type SetHistoryStateOptions,
  useHistoryState,
} from "./use-history-state.ts";
export { type InfiniteList, type InfiniteListOptions, type MoreLink, useInfiniteList } from "./use-infinite-list.ts";
export { type PageLanguage, useLanguage } from "./use-language.ts";
export { type Navigation, useNavigation } from "./use-navigation.ts";
export { useNonce } from "./use-nonce.ts";
export { type CallFields, type Optimistic, type OptimisticOptions, useOptimistic } from "./use-optimistic.ts";
export { type NumberKey, type Pagination, type PaginationOptions, usePagination } from "./use-pagination.ts";
export { type RevalidateOptions, useRevalidate } from "./use-revalidate.ts";
export { type SearchPage, type SetSearch, type SetSearchOptions, useSearch } from "./use-search.ts";
export type { SearchAnchor } from "./use-search-link.ts";
export { type LiveSocket, type UseSocketOptions, useSocket } from "./use-socket.ts";
export { type SortColumn, type SortedColumn, type SortingOptions, useSorting } from "./use-sorting.ts";
