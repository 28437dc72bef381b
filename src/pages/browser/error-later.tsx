import { lazy, type ReactNode, Suspense } from "react";
import type { ErrorModule, ErrorProps, Lazy } from "../parts.ts";

const made = new WeakMap<Lazy<ErrorModule>, ErrorModule>();

/**
 * Stands for an `_error` file that has not been fetched. When it cannot be fetched either, the boundary further out
 * catches that.
 */
export function errorLater(file: Lazy<ErrorModule>): ErrorModule {
  const known = made.get(file);
  if (known) return known;
  const Fetched = lazy(file);
  const module = {
    default: (props: ErrorProps): ReactNode => (
      <Suspense>
        <Fetched {...props} />
      </Suspense>
    ),
  };
  made.set(file, module);
  return module;
}
