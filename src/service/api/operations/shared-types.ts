export interface InProject {
  readonly project: number;
}

export interface InIssue extends InProject {
  readonly number: number;
}

/** An id that is a text. */
export interface ById extends InProject {
  readonly id: string;
}

export interface PageQuery {
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Both parts of a list: `next` is absent on the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

export interface Changed {
  /** How many were changed. */
  readonly changed: number;
}

export interface ApiKey {
  readonly publicKey: string;
  /** What a client of Sentry needs to send reports. */
  readonly dsn: string;
}
