import { lazy, type ReactNode, Suspense } from "react";
import type { ErrorModule, ErrorProps, Lazy } from "../parts.ts";

const made = new WeakMap<Lazy<ErrorModule>, ErrorModule>();

/**
 * Placeholder for an `_error` file that has not been loaded. If loading it fails too, the next outer boundary catches
 * the error.
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
