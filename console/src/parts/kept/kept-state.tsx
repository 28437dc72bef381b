import type { ShownKept } from "../../server/kept/show-kept.ts";

export function KeptState({ kept: { state, isProblem } }: { kept: ShownKept }) {
  return <strong className={isProblem ? "problem" : undefined}>{state}</strong>;
}
