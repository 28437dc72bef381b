export type SearchValue = string | number | boolean | null | undefined;

/** `undefined` and `null` leave a key out; a list writes it several times. */
export type SearchInput = URLSearchParams | Readonly<Record<string, SearchValue | readonly SearchValue[]>>;
