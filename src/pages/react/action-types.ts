import type { ActionRef } from "#routes";
import type { LazySchema } from "../standard-schema.ts";

/** The action itself, also of a reference to it. */
type ItselfOf<Action> = Action extends ActionRef<infer Itself> ? Itself : Action;

/** What an action's schema accepts before it converts anything, by field name; unknown without a schema. */
export type FieldsOf<Action> = ItselfOf<Action> extends { readonly accepts?: infer Fields } ? Fields : unknown;

/** What an action returns; unknown if its reference has no type. */
export type ResultOf<Action> =
  ItselfOf<Action> extends { readonly gives?: { readonly result: unknown } }
    ? NonNullable<ItselfOf<Action>["gives"]>["result"]
    : unknown;

/** What one input sends. */
type Leaf = string | number | bigint | boolean | symbol | Date | Blob | null | undefined;

/** Counts down the levels, so that a type that contains itself ends. Names further down are any text. */
type LevelBelow = [never, 0, 1, 2, 3, 4];

/** What follows a name: nothing for an input, `.city`, `[0].amount`. */
type NameBelow<Value, Level extends number> = [Level] extends [never]
  ? string
  : // `z.coerce` accepts anything: it is one input.
    unknown extends Value
    ? ""
    : Value extends null | undefined
      ? never
      : Value extends Leaf
        ? ""
        : Value extends readonly (infer One)[]
          ? ListBelow<One> | `[${number}]${NameBelow<One, LevelBelow[Level]>}`
          : { [Key in keyof Value & string]-?: `.${Key}${NameBelow<Value[Key], LevelBelow[Level]>}` }[keyof Value &
              string];

/** A list of values may also have one name that is repeated. */
type ListBelow<One> = unknown extends One ? "" | "[]" : One extends Leaf ? "" | "[]" : never;

/** Names of the fields of each variant, if there are several. */
type Names<Fields> = Fields extends object
  ? { [Key in keyof Fields & string]-?: `${Key}${NameBelow<Fields[Key], 5>}` }[keyof Fields & string]
  : never;

/** Names of inputs for what a schema accepts: `name`, `address.city`, `lines[0].amount`. */
export type NameOf<Fields> = unknown extends Fields ? string : [Fields] extends [FormData] ? string : Names<Fields>;

/** The fields that a form of the action can have. Any name, if the action has no schema. */
export type FieldName<Action> = NameOf<FieldsOf<Action>>;

/** What is chosen before anything was sent: the value, the values, or whether it is this one. */
export type Chosen = string | boolean | readonly string[] | null | undefined;

/** Name and value of a checkbox or radio. Without a value it sends `on`. */
type Choice<Name extends string, Text extends string> = "on" extends Text
  ? [name: Name, value?: Text, chosen?: Chosen]
  : [name: Name, value: Text, chosen?: Chosen];

/** The texts among which a schema chooses. A number or a boolean is made from any text. */
type TextOf<Value> = [NonNullable<Value>] extends [string] ? NonNullable<Value> : string;

type ChoicesAt<Value, Name extends string, Level extends number> = [Level] extends [never]
  ? Choice<`${Name}${string}`, string>
  : unknown extends Value
    ? Choice<Name, string>
    : [Value] extends [Leaf]
      ? Choice<Name, TextOf<Value>>
      : Value extends null | undefined
        ? never
        : Value extends Leaf
          ? Choice<Name, TextOf<Value>>
          : Value extends readonly (infer One)[]
            ? ChoiceInList<One, Name> | ChoicesAt<One, `${Name}[${number}]`, LevelBelow[Level]>
            : {
                [Key in keyof Value & string]-?: ChoicesAt<Value[Key], `${Name}.${Key}`, LevelBelow[Level]>;
              }[keyof Value & string];

/** Several with one name, as checkboxes have it. */
type ChoiceInList<One, Name extends string> = unknown extends One
  ? Choice<Name | `${Name}[]`, string>
  : [One] extends [Leaf]
    ? Choice<Name | `${Name}[]`, TextOf<One>>
    : never;

type Choices<Fields> = Fields extends object
  ? { [Key in keyof Fields & string]-?: ChoicesAt<Fields[Key], Key, 5> }[keyof Fields & string]
  : never;

/** The checkboxes and radios that a form of the action can have: names, and the values that its schema accepts. */
export type ChoiceOf<Action> =
  unknown extends FieldsOf<Action>
    ? Choice<string, string>
    : [FieldsOf<Action>] extends [FormData]
      ? Choice<string, string>
      : Choices<FieldsOf<Action>>;

type ListsIn<Fields, Before extends string, Level extends number> = [Level] extends [never]
  ? never
  : Fields extends Leaf
    ? never
    : Fields extends object
      ? { [Key in keyof Fields & string]-?: ListsAt<NonNullable<Fields[Key]>, `${Before}${Key}`, Level> }[keyof Fields &
          string]
      : never;

type ListsAt<Value, Name extends string, Level extends number> = unknown extends Value
  ? never
  : Value extends readonly (infer One)[]
    ? Name | ListsIn<One, `${Name}[${number}].`, LevelBelow[Level]>
    : ListsIn<Value, `${Name}.`, LevelBelow[Level]>;

type ListOf<Fields> = unknown extends Fields ? string : [Fields] extends [FormData] ? string : ListsIn<Fields, "", 5>;

/** Names of the lists that a form of the action can have: `lines`. */
export type ListName<Action> = ListOf<FieldsOf<Action>>;

type ObjectsIn<Fields, Before extends string, Level extends number> = [Level] extends [never]
  ? never
  : { [Key in keyof Fields & string]-?: ObjectsAt<NonNullable<Fields[Key]>, `${Before}${Key}`, Level> }[keyof Fields &
      string];

type ObjectsAt<Value, Name extends string, Level extends number> = unknown extends Value
  ? never
  : Value extends Leaf
    ? never
    : Value extends readonly (infer One)[]
      ? ObjectsAt<NonNullable<One>, `${Name}[${number}]`, LevelBelow[Level]>
      : Name | ObjectsIn<Value, `${Name}.`, LevelBelow[Level]>;

/** Names of the objects of each variant, rows of lists included: `address`, `lines[0]`. */
type ObjectOf<Fields> = unknown extends Fields
  ? string
  : [Fields] extends [FormData]
    ? string
    : Fields extends object
      ? ObjectsIn<Fields, "", 5>
      : never;

/** What a message may be about: a field, an object or a row, or a list of rows as a whole. */
export type MessageNameOf<Fields> = NameOf<Fields> | ObjectOf<Fields> | ListOf<Fields>;

/** The same for a form of the action. */
export type MessageName<Action> = MessageNameOf<FieldsOf<Action>>;

/** Fields as a script sends them: text or files, as a form would, in objects and lists as the schema has them. */
type SentAs<Value> = unknown extends Value
  ? string | Blob
  : Value extends null | undefined
    ? never
    : Value extends Leaf
      ? string | Blob
      : Value extends readonly (infer One)[]
        ? readonly SentAs<One>[]
        : Value extends object
          ? { readonly [Name in keyof Value]: SentAs<Value[Name]> }
          : string | Blob;

/** The same for any action. */
export type SentFields = { readonly [name: string]: SentField | undefined };
type SentField = string | Blob | SentFields | readonly SentField[];

type Texts<Fields> = Fields extends object ? { readonly [Name in keyof Fields]: SentAs<Fields[Name]> } : never;

/** Optional where the schema has them so. */
export type FieldsToSend<Action> =
  unknown extends FieldsOf<Action>
    ? SentFields
    : [FieldsOf<Action>] extends [FormData]
      ? SentFields
      : Texts<FieldsOf<Action>>;

/** Only a schema that accepts the same as the action's may check a form before it is sent. */
export type CheckOf<Action, Sent> = LazySchema<Sent> &
  (unknown extends FieldsOf<Action>
    ? unknown
    : [Sent, FieldsOf<Action>] extends [FieldsOf<Action>, Sent]
      ? unknown
      : { "`check` has to accept the same fields as the schema of the action": never });
