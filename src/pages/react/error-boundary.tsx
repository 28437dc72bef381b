import { Component, type Context, createContext, type ErrorInfo, type ReactNode } from "react";
import { digestOfServer } from "../failed-part.ts";
import type { ErrorProps } from "../parts.ts";
import type { PageContextValue } from "./page-context.ts";

interface Props {
  page: PageContextValue;
  show(caught: ErrorProps): ReactNode;
  children: ReactNode;
}

interface State {
  /** The caught error, in an object because any value can be thrown, and its digest if the server has recorded it. */
  caught: { error: unknown; digest: string | undefined } | undefined;
  /** Set once the error is reported. */
  reported: { digest: string | undefined } | undefined;
  /** The view that failed: another view resets the boundary. */
  view: unknown;
}

/**
 * State that a boundary shares with the boundaries inside it: an error that one of them is about to show and has not
 * reported yet.
 */
interface Inside {
  failing?: State["caught"];
}

const Around = createContext<Inside>({});

/**
 * Shows an `_error` file in place of a part that failed in the browser or arrived broken from the server, and leaves
 * the rest of the page alone. If that file fails too, the next outer boundary reports both errors and shows the digest
 * of the first, which is the one the visitor saw.
 */
export class ErrorBoundary extends Component<Props, State> {
  static override contextType: Context<Inside> = Around;
  declare context: Inside;
  readonly #inside: Inside = {};
  override state: State = { caught: undefined, reported: undefined, view: this.props.page.view };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    // Read now: when `componentDidCatch` runs, the failed part is gone from the document.
    return { caught: { error, digest: shownDigest(error) ?? digestOfServer(error) } };
  }

  static getDerivedStateFromProps({ page }: Props, state: State): Partial<State> | null {
    return page.view === state.view ? null : { caught: undefined, reported: undefined, view: page.view };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    const { page } = this.props;
    const { failing } = this.#inside;
    delete this.#inside.failing;
    delete this.context.failing;
    const first =
      page.view.kind === "error"
        ? page.view.digest
        : failing && (failing.digest ?? page.caught(failing.error, undefined));
    const own = this.state.caught?.digest ?? page.caught(error, componentStack ?? undefined);
    this.setState({ reported: { digest: first ?? own } });
  }

  override render(): ReactNode {
    const { show, page, children } = this.props;
    const { caught, reported } = this.state;
    if (!caught) return <Around value={this.#inside}>{children}</Around>;
    if (!reported) this.context.failing = caught;
    const { view, retry } = page;
    const side = view.kind === "error" ? view.side : caught.digest ? "server" : "browser";
    return show({ digest: reported?.digest, side, status: 500, retry });
  }
}

/** The digest of an error that the server has already recorded: one failure is one event. */
export function shownDigest(error: unknown): string | undefined {
  return error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : undefined;
}
