import type { LogLine } from "../stores/filed.ts";
import type { LogQuery } from "../stores/store-requests.ts";
import type { QueryContext } from "./query-context.ts";

/** Lines of a period that have all the words, newest first. */
export function logLines({ store }: QueryContext, query: LogQuery): Promise<readonly LogLine[]> {
  return store.logs(query);
}
