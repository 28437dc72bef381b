import { type ReactNode, Suspense, use } from "react";
import { languages } from "#routes/href";
import type { ErrorProps } from "../parts.ts";
import * as english from "../texts/english.ts";
import { ErrorBoundary, shownDigest } from "./error-boundary.tsx";
import { type PageContextValue, type Settled, usePage } from "./page-context.ts";

export interface AwaitProps<Value> {
  value: Value | PromiseLike<Value>;
  /** Shown until the value has arrived. */
  fallback?: ReactNode;
  /** Replaces the default text with the digest when the promise fails. */
  error?: (failed: ErrorProps) => ReactNode;
  children: (value: Value) => ReactNode;
}

/**
 * Shows a promise of the page's data once it resolves. Until then it shows `fallback`, or the nearest `_loading` file.
 * A rejection is shown in its place, and the rest of the page stays as it is.
 *
 * @example <Await value={data.history} fallback={<p>Loading…</p>}>{(history) => <Timeline items={history} />}</Await>
 */
export function Await<Value>({ value, fallback, error = showFailed, children }: AwaitProps<Value>): ReactNode {
  const page = usePage();
  const arrived = (
    <ErrorBoundary page={page} show={error}>
      <Arrived page={page} value={value} error={error}>
        {children}
      </Arrived>
    </ErrorBoundary>
  );
  return fallback === undefined ? arrived : <Suspense fallback={fallback}>{arrived}</Suspense>;
}

function Arrived<Value>({
  page,
  value,
  error,
  children,
}: Pick<AwaitProps<Value>, "value" | "children"> & {
  page: PageContextValue;
  error: (failed: ErrorProps) => ReactNode;
}): ReactNode {
  if (!isPromiseLike(value)) return children(value);
  const settled = use(page.settled?.(value) ?? settledOf(value)) as Settled<Value>;
  if (settled.kind === "resolved") return children(settled.value);
  // Errors of the server are recorded there, and both sides show them without throwing. The boundary reports all
  // others.
  const digest = shownDigest(settled.thrown);
  if (digest === undefined) throw settled.thrown;
  return error({ digest, side: "server", status: 500, retry: page.retry });
}

function showFailed(failed: ErrorProps): ReactNode {
  return <Failed {...failed} />;
}

function Failed({ digest }: ErrorProps): ReactNode {
  const { path, search } = usePage();
  return (
    <p role="alert">
      {languages ? languages.text("partNotLoaded") : english.partNotLoaded}{" "}
      {digest && (
        <>
          {languages ? languages.text("digest") : english.digest}: <code>{digest}</code>{" "}
        </>
      )}
      <a href={path + search} data-hard="">
        {languages ? languages.text("reload") : english.reload}
      </a>
    </p>
  );
}

/** One per promise, because React calls `use` again with the same promise. */
const all = new WeakMap<PromiseLike<unknown>, Promise<Settled>>();

/** Wraps a promise so that it never rejects. */
function settledOf(promise: PromiseLike<unknown>): Promise<Settled> {
  let settled = all.get(promise);
  if (!settled) {
    settled = Promise.resolve(promise).then(
      (value) => ({ kind: "resolved", value }),
      (thrown: unknown) => ({ kind: "failed", thrown }),
    );
    all.set(promise, settled);
  }
  return settled;
}

function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
