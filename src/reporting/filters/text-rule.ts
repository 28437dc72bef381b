/**
 * One row of a filter table: errors whose text matches are left out, or get a class. The comment above a row says where
 * such errors come from. Tests show what they look like, because every browser downloads the tables.
 */
export interface TextRule {
  /** Permanent: losses are counted under this name. */
  name: string;
  /** Matched against `Type: value` of what was thrown. */
  pattern: RegExp;
}
