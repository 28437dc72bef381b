/**
 * The names under which things that leave no trace are counted for each route. The framework's reporting sends the first
 * three as counters with the attributes `route` and `outcome` (and `reason`, where there is one); errors are counted as
 * they are filed.
 */
export const navigationCount = "holdfast.navigation";
export const prefetchCount = "holdfast.prefetch";
export const fullLoadCount = "holdfast.full-load";
export const errorCount = "holdfast.errors";
