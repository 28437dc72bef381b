import { type NavigateOptions, runtime } from "./browser-runtime.ts";

/**
 * Takes the visitor to a page, as a click on a link would. Only in event handlers and effects; a server half uses `redirect`.
 *
 * @example navigate("/orders")
 */
export function navigate(to: string, options?: NavigateOptions): void {
  runtime("navigate").navigate(to, options);
}

/** Fetches the data of the page that is shown anew, and shows it when it differs. */
export function revalidate(): void {
  runtime("revalidate").revalidate();
}

/** Fetches a page ahead, because the application knows that the visitor will want it. Bounded like every prefetch. */
export function prefetch(to: string): void {
  runtime("prefetch").prefetch(to);
}
