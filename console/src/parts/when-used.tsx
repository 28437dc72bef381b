import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/** A component that is loaded when it is first shown. If it cannot be loaded, the page works without it. */
export function whenUsed<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): (props: Props) => ReactNode {
  const Part = lazy<ComponentType<Props>>(() => load().catch(() => ({ default: () => null })));
  return (props) => (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}
