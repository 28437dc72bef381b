import type { ActionRef } from "#routes";

/** The action itself, also of a reference to it. */
type ItselfOf<Action> = Action extends ActionRef<infer Itself> ? Itself : Action;

/** What an action's schema accepts before it converts anything, by field name; unknown without a schema. */
type FieldsOf<Action> = ItselfOf<Action> extends { readonly accepts?: infer Fields } ? Fields : unknown;

/** What an action returns; unknown if its reference has no type. */
export type ResultOf<Action> =
  ItselfOf<Action> extends { readonly run: (...args: never) => infer Result } ? Awaited<Result> : unknown;

/** Names of the fields of each variant, if there are several. */
type Names<Fields> = Fields extends object ? keyof Fields & string : never;

/** The fields that a form of the action can have. Any name, if the action has no schema. */
export type FieldName<Action> =
  unknown extends FieldsOf<Action> ? string : [FieldsOf<Action>] extends [FormData] ? string : Names<FieldsOf<Action>>;

/** Fields as a script sends them: text or files, as a form would. Optional where the schema has them so. */
type Texts<Fields> = Fields extends object ? { readonly [Name in keyof Fields]: string | Blob } : never;

export type FieldsToSend<Action> =
  unknown extends FieldsOf<Action>
    ? Readonly<Record<string, string | Blob>>
    : [FieldsOf<Action>] extends [FormData]
      ? Readonly<Record<string, string | Blob>>
      : Texts<FieldsOf<Action>>;
