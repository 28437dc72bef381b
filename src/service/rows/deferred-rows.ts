import type { Rows } from "./rows.ts";

/** Rows that are opened when they are first asked for. `open` does it before, so that a failure is seen early. */
export interface DeferredRows extends Rows {
  open(): void;
}

/** A start need not wait for tables that its first response does not read. */
export function deferRows(openRows: () => Rows): DeferredRows {
  let opened: Rows | undefined;
  const rows = (): Rows => {
    opened ??= openRows();
    return opened;
  };
  return {
    open: () => void rows(),
    all: async (sql, ...values) => rows().all(sql, ...values),
    one: async (sql, ...values) => rows().one(sql, ...values),
    run: async (sql, ...values) => rows().run(sql, ...values),
    transaction: async (work) => rows().transaction(work),
    close: async () => opened?.close(),
  };
}
