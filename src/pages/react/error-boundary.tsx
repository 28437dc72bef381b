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
  /** What was caught, in a box because anything can be thrown, and its digest where the server has recorded it. */
  caught: { error: unknown; digest: string | undefined } | undefined;
  /** Set once it was reported. */
  told: { digest: string | undefined } | undefined;
  /** The view in which it failed: another view is another chance. */
  view: unknown;
}

/**
 * What a boundary knows of the boundaries inside it: an error that one of them is about to show, and has not reported
 * yet.
 */
interface Inside {
  failing?: State["caught"];
}

const Around = createContext<Inside>({});

/**
 * Shows an `_error` file in place of what broke in the browser, or arrived broken from the server, and leaves the rest
 * of the page alone. Where that file breaks as well, the boundary further out tells of both and shows the digest of the
 * first: that is what the visitor met.
 */
export class ErrorBoundary extends Component<Props, State> {
  static override contextType: Context<Inside> = Around;
  declare context: Inside;
  readonly #inside: Inside = {};
  override state: State = { caught: undefined, told: undefined, view: this.props.page.view };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    // Read now: when `componentDidCatch` runs, the document no longer has the part that failed.
    return { caught: { error, digest: shownDigest(error) ?? digestOfServer(error) } };
  }

  static getDerivedStateFromProps({ page }: Props, state: State): Partial<State> | null {
    return page.view === state.view ? null : { caught: undefined, told: undefined, view: page.view };
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
    this.setState({ told: { digest: first ?? own } });
  }

  override render(): ReactNode {
    const { show, page, children } = this.props;
    const { caught, told } = this.state;
    if (!caught) return <Around value={this.#inside}>{children}</Around>;
    if (!told) this.context.failing = caught;
    const { view, retry } = page;
    const side = view.kind === "error" ? view.side : caught.digest ? "server" : "browser";
    return show({ digest: told?.digest, side, status: 500, retry });
  }
}

/** What failed on the server was recorded there and brings its digest along: one failure is one event. */
export function shownDigest(error: unknown): string | undefined {
  return error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : undefined;
}
