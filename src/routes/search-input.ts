export type SearchValue = string | number | boolean | null | undefined;

/** `undefined` and `null` omit a key; a list repeats it. */
export type SearchInput = URLSearchParams | Readonly<Record<string, SearchValue | readonly SearchValue[]>>;
