// So that an application may import styles and images, and knows its `import.meta.env`.
/// <reference types="vite/client" preserve="true" />
/**
 * `holdfast`: what pages and components use, in the browser and on the server.
 * @module
 */
/** An error of the framework itself: `code` never changes, `whatToDo` says how to mend it. */
export { HoldfastError } from "#errors";
/** What an `_error` file gets. */
export type { ErrorProps } from "#pages/react";
/** Links, forms, going from page to page, and what can be known about it. */
export {
  type ActionFetcher,
  Await,
  type Fetcher,
  type FetcherOptions,
  Form,
  type FormProps,
  type FormState,
  Link,
  type LinkProps,
  type NavigateOptions,
  type Navigation,
  navigate,
  onSignal,
  type Posted,
  prefetch,
  revalidate,
  type Signal,
  type SubmissionState,
  useBlocker,
  useFetcher,
  useNavigation,
  usePage,
} from "#pages/react";
/** What the generated declarations of an application are made of. */
export type {
  ActionRef,
  AfterTarget,
  FolderId,
  LayoutData,
  LinkParams,
  LinkTarget,
  LinkText,
  LinkTo,
  PageActions,
  PageData,
  PageId,
  RouteParams,
} from "#routes";
/** The address of a page from its id, its parameters and a search; checked by the compiler. */
export { typedHref as href } from "#routes/href";
