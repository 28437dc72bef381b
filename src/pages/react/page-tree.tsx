import { type ComponentType, type ReactNode, Suspense } from "react";
import { jsx } from "react/jsx-runtime";
import { languages, typedParams, typedSearches } from "#routes/href";
import type { BuiltIn, ErrorModule, ErrorProps, LayoutModule, PageModule, PlainModule } from "../parts.ts";
import { typedAddressOf, type View } from "../view.ts";
import { actionRefs } from "./actions.ts";
import { Alternates } from "./alternates.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { PageContext, type PageContextValue } from "./page-context.ts";

/** The loaded files of a view: those of its folders, in the order of `view.folders`, and the page's own. */
export interface ViewModules {
  folders: readonly FolderFiles[];
  page?: PageModule | undefined;
  /** Shown if the application has no file of its own. Injected, because a browser loads it after hydration. */
  builtIn: ComponentType<BuiltIn>;
}

export interface FolderFiles {
  layout?: LayoutModule | undefined;
  error?: ErrorModule | undefined;
  notFound?: PlainModule | undefined;
  loading?: PlainModule | undefined;
  /** See `FolderModules`. */
  actions?: string | undefined;
}

/** What is shown over the page: a dialog. It is rendered inside the layout of this folder; -1 is outside of all. */
export interface Over {
  depth: number;
  node: ReactNode;
}

interface PageTreeProps {
  page: PageContextValue;
  modules: ViewModules;
  over?: Over | undefined;
}

/**
 * Renders the page with everything around it, from the inside outwards: each folder wraps its content in its
 * `_loading`, its `_error` and its `_layout`. Both sides render the same tree, as hydration requires.
 */
export function PageTree({ page, modules, over }: PageTreeProps): ReactNode {
  const { view } = page;
  // Always two children: a dialog that opens must not change the position of the page, which would lose its state.
  const withOver = (depth: number, inside: ReactNode): ReactNode => (
    <>
      {inside}
      {over?.depth === depth ? over.node : null}
    </>
  );
  const { folders } = modules;
  const outermost = folders.findIndex(({ error }) => error);
  let tree = innermost(page, modules);
  for (let depth = depthOf(view); depth >= 0; depth--) {
    const files = folders[depth];
    if (!files) continue;
    const Layout = files.layout?.default;
    if (files.loading) tree = <Suspense fallback={jsx(files.loading.default, {})}>{tree}</Suspense>;
    // If no `_error` file would catch an error, the built-in page is shown inside the layout.
    const catches = files.error || (Layout && (outermost < 0 || depth < outermost));
    // An `_error` file that is being shown cannot catch its own failure; the folder above does.
    if (catches && !(view.kind === "error" && view.boundary === depth))
      tree = boundary(page, shownBy(modules, files.error, true), tree);
    if (Layout) {
      tree = (
        <Layout data={view.data[depth]} params={view.params} actions={actionRefs(page, files.actions)}>
          {withOver(depth, tree)}
        </Layout>
      );
    }
  }
  tree = boundary(page, shownBy(modules), tree);
  if (languages)
    tree = (
      <>
        <Alternates page={page} languages={languages} />
        {tree}
      </>
    );
  return <PageContext value={page}>{withOver(-1, tree)}</PageContext>;
}

function depthOf(view: View): number {
  return view.kind === "page" ? view.folders.length - 1 : view.boundary;
}

function innermost(page: PageContextValue, modules: ViewModules): ReactNode {
  const { view } = page;
  const files = view.kind === "page" ? undefined : modules.folders[view.boundary];
  switch (view.kind) {
    case "page":
      if (!modules.page) return null;
      // The path is the key: a page with other params must not inherit the state and input of the last one.
      return jsx(
        modules.page.default,
        {
          data: view.data[view.folders.length],
          params: typedParams ? (typedAddressOf(view)?.params ?? view.params) : view.params,
          actions: actionRefs(page),
          ...(typedSearches ? { search: typedAddressOf(view)?.search } : {}),
        },
        page.path,
      );
    case "not-found":
      return files?.notFound
        ? jsx(files.notFound.default, {})
        : jsx(modules.builtIn, { kind: "not-found", path: page.path, inLayout: view.boundary >= 0 });
    case "error": {
      const { digest, side, status, reason } = view;
      const show = shownBy(modules, files?.error, view.boundary >= 0);
      return show({ digest, side, status, reason, retry: page.retry });
    }
  }
}

/** Returns how a folder shows an error: by its own `_error` file, or by the built-in page. */
function shownBy({ builtIn }: ViewModules, file?: ErrorModule, inLayout = false): Show {
  return (caught) => (file ? jsx(file.default, caught) : jsx(builtIn, { kind: "error", inLayout, ...caught }));
}

type Show = (caught: ErrorProps) => ReactNode;

function boundary(page: PageContextValue, show: Show, inside: ReactNode): ReactNode {
  return (
    <ErrorBoundary page={page} show={show}>
      {inside}
    </ErrorBoundary>
  );
}
