export { ByteBudget, HeldBytes } from "./byte-budget.ts";
export { PieceJoiner } from "./piece-joiner.ts";
export { Refusals } from "./refusals.ts";
export { sourceOf } from "./source-of.ts";
export { TokenBuckets } from "./token-buckets.ts";
export { type TurnLimits, Turns } from "./turns.ts";
