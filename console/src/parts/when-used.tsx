import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/** A part that is loaded when it is first shown. Where it cannot be fetched the page goes on without it. */
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
