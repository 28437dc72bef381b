import { type MouseEvent, type ReactNode, type SyntheticEvent, useLayoutEffect, useRef } from "react";
import type { PageContextValue, PageDialog } from "../../react/page-context.ts";
import type { Over, PageTree, ViewModules } from "../../react/page-tree.tsx";
import type { View } from "../../view.ts";

export interface DialogContent {
  /** The page below. */
  below: View;
  page: PageContextValue & { dialog: PageDialog };
  modules: ViewModules;
  Tree: typeof PageTree;
  /** Whether a navigation is pending: Escape first cancels that. */
  isBusy(): boolean;
}

/** A page in a dialog: with its own layouts, inside of those that it shares with the page below. */
export function overPage({ below, page, modules, Tree, isBusy }: DialogContent): Over {
  const { folders } = page.view;
  const isShared = (depth: number): boolean =>
    folders.slice(0, depth + 1).every((folder, index) => folder === below.folders[index]);
  const withoutShared = modules.folders.map((files, depth) =>
    isShared(depth) ? { ...files, layout: undefined } : files,
  );
  return {
    depth: modules.folders.findLastIndex(({ layout }, depth) => layout && isShared(depth)),
    node: (
      <DialogFrame close={page.dialog.close} isBusy={isBusy}>
        <Tree page={page} modules={{ ...modules, folders: withoutShared }} />
      </DialogFrame>
    ),
  };
}

interface FrameProps {
  close(): void;
  isBusy(): boolean;
  children: ReactNode;
}

/** The modal `<dialog>`. It has the browser's own style, which a stylesheet changes by `dialog[data-page-dialog]`. */
function DialogFrame({ close, isBusy, children }: FrameProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const wasBusy = useRef(false);
  const pressedOutside = useRef(false);
  useLayoutEffect(() => (ref.current ? open(ref.current) : undefined), []);
  useLayoutEffect(() => {
    if (ref.current) ref.current.ariaLabel = document.title;
  });
  return (
    <dialog
      ref={ref}
      data-page-dialog=""
      onKeyDown={({ key }) => {
        if (key === "Escape") wasBusy.current = isBusy();
      }}
      onCancel={(event) => {
        if (!isOwn(event)) return;
        event.preventDefault();
        if (!wasBusy.current) close();
        wasBusy.current = false;
      }}
      onClose={(event) => {
        // By `method="dialog"`, or by the browser at a second Escape. The page is left only by the history.
        if (!isOwn(event) || event.currentTarget.open) return;
        event.currentTarget.showModal();
        close();
      }}
      onPointerDown={(event) => {
        pressedOutside.current = isOutside(event);
      }}
      onClick={(event) => {
        if (pressedOutside.current && isOutside(event)) close();
      }}
    >
      {children}
    </dialog>
  );
}

/** Opens the dialog over the page; returns a function that closes it and gives the focus back. */
function open(dialog: HTMLDialogElement): () => void {
  const root = document.documentElement;
  const { overflow, paddingRight } = root.style;
  const { clientWidth } = root;
  dialog.showModal();
  // The page below keeps its scroll position, and its width without the scrollbar.
  root.style.overflow = "hidden";
  const scrollbar = root.clientWidth - clientWidth;
  if (scrollbar > 0) root.style.paddingRight = `${scrollbar}px`;
  // Notices of the framework would be below the dialog, where nothing can be pressed or is announced.
  const lift = (): void => dialog.append(...root.querySelectorAll(`:scope>${ownElements}`));
  const observer = new MutationObserver(lift);
  observer.observe(root, { childList: true });
  lift();
  return () => {
    observer.disconnect();
    root.append(...dialog.querySelectorAll(`:scope>${ownElements}`));
    Object.assign(root.style, { overflow, paddingRight });
    dialog.close();
  };
}

/** As `ownElement` names them. */
const ownElements = "[id^=holdfast-]";

/** Not of a dialog or a file field inside of the page. */
function isOwn({ target, currentTarget }: SyntheticEvent): boolean {
  return target === currentTarget;
}

function isOutside(event: MouseEvent): boolean {
  const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return isOwn(event) && (x < left || x > right || y < top || y > bottom);
}
