import { Component, type ComponentType, createElement, type ErrorInfo, type ReactNode } from "react";
import type { ErrorProps } from "../parts.ts";
import type { PageContextValue } from "./page-context.ts";

interface Props {
  page: PageContextValue;
  show: ComponentType<ErrorProps>;
  children: ReactNode;
}

interface State {
  failed: boolean;
  digest: string | undefined;
  side: ErrorProps["side"];
  /** The view in which it failed: another view is another chance. */
  view: unknown;
}

/** Shows an `_error` file in place of what broke in the browser, or arrived broken from the server, and leaves the rest of the page alone. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: false, digest: undefined, side: "browser", view: this.props.page.view };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: true, side: digestOf(error) ? "server" : "browser" };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.page.view === state.view ? null : { failed: false, digest: undefined, view: props.page.view };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    this.setState({ digest: this.props.page.caught(error, info.componentStack ?? undefined) });
  }

  override render(): ReactNode {
    const { show, page, children } = this.props;
    if (!this.state.failed) return children;
    const { digest, side } = this.state;
    return createElement(show, { digest, side, status: 500, retry: page.retry });
  }
}

/** What failed on the server was recorded there and brings its digest along: one failure is one event. */
export function digestOf(error: unknown): string | undefined {
  return error instanceof Error && "digest" in error && typeof error.digest === "string" ? error.digest : undefined;
}
