/**
 * A row of a filter table: errors whose text matches are left out or get a class. The comment above a row names the
 * origin of such errors. Examples are in tests, because every browser downloads the tables.
 */
export interface TextRule {
  /** Permanent: losses are counted under this name. */
  name: string;
  /** Matched against `Type: value` of the thrown error. */
  pattern: RegExp;
}
