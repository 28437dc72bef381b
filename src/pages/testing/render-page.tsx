import {
  type ComponentType,
  isValidElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type SubmitEvent,
  useInsertionEffect,
  useSyncExternalStore,
} from "react";
import { jsx } from "react/jsx-runtime";
import { layoutActions, type PageId } from "#routes";
import { isHashOnly, ownLink } from "../browser/catch-clicks.ts";
import { actionMarker } from "../page-data.ts";
import { actionRefs } from "../react/actions.ts";
import { PageContext } from "../react/page-context.ts";
import { typedAddressOf } from "../view.ts";
import { type AnyStubs, listLayouts, RecordPage } from "./record-page.ts";
import type { PageStubs, RecordedNavigation, RecordedSubmission, StubbedProps } from "./stub-types.ts";

/** A page in a test. It is shown by `html`, by `mount`, or by any renderer that takes `element`. */
export interface RenderedPage<Id extends PageId> {
  /** The page, for Testing Library, Storybook or `createRoot`. */
  readonly element: ReactElement;
  /** Renders it as a server does, when every part has arrived. Needs no document. */
  html(): Promise<string>;
  /** Shows it in the document, in an element of its own by default, and returns that element. */
  mount(container?: HTMLElement): Promise<HTMLElement>;
  /** Changes some of what it was given, such as the data after an action. */
  update(changes: Partial<PageStubs<Id>>): void;
  /** Resolves when all actions that were called have answered and the page shows it. */
  settled(): Promise<void>;
  /** Where links, `navigate`, `useSearch`, plain forms and redirects of actions led, oldest first. */
  readonly navigations: readonly RecordedNavigation[];
  /** What forms and fetchers sent, oldest first. */
  readonly submissions: readonly RecordedSubmission[];
  /** How often the page asked for its data again. */
  readonly revalidations: number;
  /** Removes what `mount` has shown. */
  close(): void;
}

/**
 * Prepares a page, or a component inside of it, for a test: with data, params, search and actions of the test. Nothing
 * is requested from a server. The id gives the types.
 *
 * @example
 * const page = renderPage("/orders/[id]", Order, { data: { name: "Lamp" }, params: { id: "7" } });
 * expect(await page.html()).toContain("Lamp");
 */
export function renderPage<const Id extends PageId>(
  id: Id,
  shown: ComponentType<StubbedProps<NoInfer<Id>>> | ReactElement,
  stubs: PageStubs<NoInfer<Id>>,
): RenderedPage<Id> {
  // The types are for the caller. What follows is the same for all pages.
  const record = new RecordPage(id, stubs as unknown as AnyStubs);
  const element = <Stubbed record={record} shown={shown as Shown} />;
  let close: (() => void) | undefined;
  return {
    element,
    html: () => toHtml(element),
    mount: async (container) => {
      close?.();
      const mounted = await mount(element, container);
      close = mounted.close;
      return mounted.container;
    },
    update: (changes) => record.update(changes as unknown as AnyStubs),
    settled: () => record.settled(),
    navigations: record.navigations,
    submissions: record.submissions,
    get revalidations() {
      return record.revalidations;
    },
    close: () => close?.(),
  };
}

type Shown = ComponentType<object> | ReactElement;

function Stubbed({ record, shown }: { record: RecordPage; shown: Shown }): ReactNode {
  const page = useSyncExternalStore(record.subscribe, record.read, record.read);
  // Before the effects of the page, which may navigate.
  useInsertionEffect(() => record.shown(), [record]);
  const isInBrowser = typeof document !== "undefined";
  const { view } = page;
  const from = isInBrowser ? { ...page, path: record.actionsPath } : page;
  const { search, params = view.params } = typedAddressOf(view) ?? {};
  const data = view.data[view.folders.length];
  const props = { data, params, actions: actionRefs(from), ...(search !== undefined && { search }) };
  let tree: ReactNode = isValidElement(shown) ? shown : jsx(shown as ComponentType<object>, props, page.path);
  for (const [folder, { layout: Layout, data: layoutData }] of listLayouts(
    (record.stubs.layouts ?? {}) as Layouts,
  ).reverse())
    tree = (
      <Layout data={layoutData} params={view.params} actions={actionRefs(from, layoutActions(folder))}>
        {tree}
      </Layout>
    );
  // Handlers of React, so that those of the page run first and may prevent the navigation.
  if (isInBrowser)
    tree = jsx("div", {
      style: { display: "contents" },
      onClick: (event: MouseEvent) => follow(record, event),
      onSubmit: (event: SubmitEvent) => send(record, event),
      children: tree,
    });
  return <PageContext value={page}>{tree}</PageContext>;
}

type Layouts = Readonly<
  Record<
    string,
    { layout: ComponentType<{ data: unknown; params: unknown; actions: unknown; children: ReactNode }>; data?: unknown }
  >
>;

/** As `catch-clicks.ts` does for a document. */
function follow(record: RecordPage, event: MouseEvent): void {
  const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey, target } = event;
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
  const link = ownLink(target);
  if (!link || isHashOnly(link.href)) return;
  event.preventDefault();
  record.navigate(link.href, { replace: link.dataset.replace !== undefined });
}

function send(record: RecordPage, event: SubmitEvent): void {
  const { target } = event;
  if (event.defaultPrevented || !(target instanceof HTMLFormElement) || "hard" in target.dataset) return;
  const submitter = (event.nativeEvent as globalThis.SubmitEvent).submitter;
  const attribute = (name: "action" | "method"): string =>
    submitter?.getAttribute(`form${name}`) ?? target.getAttribute(name) ?? "";
  const form = new FormData(target, submitter);
  const to = new URL(attribute("action") || record.address, record.address);
  event.preventDefault();
  if (attribute("method").toLowerCase() === "post" && to.pathname.includes(actionMarker)) {
    // A stub that throws is an unhandled rejection, which fails the test.
    void record.submit({ href: to.href, form, element: target, submitter });
    return;
  }
  to.search = String(new URLSearchParams([...form].map(([name, value]) => [name, String(value)])));
  record.navigate(to.href);
}

async function toHtml(element: ReactElement): Promise<string> {
  const { prerender } = await import("react-dom/static");
  const errors: unknown[] = [];
  const { prelude } = await prerender(element, {
    // Otherwise React sends large parts after the rest, in hidden elements.
    progressiveChunkSize: Number.POSITIVE_INFINITY,
    // React leaves a part that failed inside of a Suspense to the browser. A test has to see it.
    onError: (error) => void errors.push(error),
  });
  const text = await new Response(prelude as ReadableStream<BufferSource>).text();
  if (errors.length > 0) throw errors[0];
  // Marks for hydration, which would split the texts that a test looks for.
  return text.replace(/<!--(?:\/?\$| )-->/g, "");
}

async function mount(
  element: ReactElement,
  given?: HTMLElement,
): Promise<{ container: HTMLElement; close: () => void }> {
  const [{ createRoot }, { flushSync }] = await Promise.all([import("react-dom/client"), import("react-dom")]);
  const container = given ?? document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  flushSync(() => root.render(element));
  return {
    container,
    close: () => {
      flushSync(() => root.unmount());
      if (!given) container.remove();
    },
  };
}
