/** What a client receives of a value: as JSON has it, without what is undefined. In a list that is `null`. */
export type AsJson<T> = T extends Date
  ? string
  : T extends readonly [unknown, unknown]
    ? { readonly [Key in keyof T]: AsJson<T[Key]> }
    : T extends readonly (infer Item)[]
      ? readonly ItemAsJson<Item>[]
      : T extends object
        ? ObjectAsJson<T>
        : T;

type ItemAsJson<Item> = undefined extends Item ? AsJson<Exclude<Item, undefined>> | null : AsJson<Item>;

type ObjectAsJson<T> = {
  readonly [Key in keyof T as MayBeAbsent<T, Key> extends true ? never : Key]: AsJson<T[Key]>;
} & {
  readonly [Key in keyof T as MayBeAbsent<T, Key> extends true ? Key : never]?: AsJson<Exclude<T[Key], undefined>>;
};

/** A value of any type may be undefined, but names of a table are only there with a value. */
type MayBeAbsent<T, Key extends keyof T> = unknown extends T[Key] ? false : undefined extends T[Key] ? true : false;
