export type RowValue = string | number | null;

/** Statements on small tables, written as PostgreSQL reads them: `$1` is a value, `holdfast.` comes before a table. */
export interface RowQueries {
  all<Row>(sql: string, ...values: readonly RowValue[]): Promise<readonly Row[]>;
  one<Row>(sql: string, ...values: readonly RowValue[]): Promise<Row | undefined>;
  /** Returns how many rows changed. */
  run(sql: string, ...values: readonly RowValue[]): Promise<number>;
}

/** Tables of one data folder, or of a database that many processes share. */
export interface Rows extends RowQueries {
  /**
   * Everything or nothing. The work waits for nothing but its own statements. Of transactions with the same `turn` one
   * runs at a time, in all processes: a limit on rows that several may add at once is then exact.
   */
  transaction<Result>(work: (queries: RowQueries) => Promise<Result>, turn?: string): Promise<Result>;
  close(): Promise<void>;
}
