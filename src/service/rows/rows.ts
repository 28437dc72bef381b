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
  /** Everything or nothing. The work waits for nothing but its own statements. */
  transaction<Result>(work: (queries: RowQueries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
