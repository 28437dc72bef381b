/** The languages of an application, as the build writes them into both bundles. */
export interface LanguageTable {
  default: string;
  /** Whether the default language has a prefix in its addresses too. */
  prefixDefault: boolean;
  /** Whether `Accept-Language` and the visitor's earlier choice decide at the root of the default language. */
  detect: boolean;
  /** Whether documents name their canonical address and those in other languages. */
  canonical: boolean;
  list: readonly LanguageEntry[];
}

export interface LanguageEntry {
  /** The tag, which is also the prefix of its addresses: `de` and `/de`. */
  lang: string;
  /** Absent for languages that are written from left to right. */
  dir?: "rtl";
  /** A host that has only this language, without a prefix. */
  domain?: string;
  /** The beginnings of the paths whose pages have this language; all pages if it is absent. */
  only?: readonly string[];
  /** The beginnings of the paths whose pages do not have this language. */
  except?: readonly string[];
}
