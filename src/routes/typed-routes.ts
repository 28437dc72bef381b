import type { SearchInput } from "./search-input.ts";

/**
 * What the compiler knows about an application's routes. The build writes one declaration file that fills
 * `HoldfastApplication`; where there is none, every type here is as wide as plain strings. The interface is global,
 * because a declaration reaches it the same way through every door of the package.
 */
declare global {
  interface HoldfastApplication {}
}

/** One field of the generated declaration, or what stands for it where nothing is generated. */
type Known<Field extends string, Otherwise> = Field extends keyof HoldfastApplication
  ? HoldfastApplication[Field]
  : Otherwise;

/** Pages and folders by id; each names the module of its server half, or `null`. */
type Pages = Known<"pages", Record<string, unknown>>;
type Folders = Known<"folders", Record<string, unknown>>;

/** Ids of pages, as `"/" | "/orders/[id]"`. */
export type PageId = keyof Pages & string;
/** Ids of folders that have special files, groups kept: `"/" | "/(shop)/orders"`. */
export type FolderId = keyof Folders & string;
/** What the request hook of `src/request.server.ts` returns. */
export type LocalsOf = Known<"locals", object>;

type Plain<Shape> = { [Key in keyof Shape]: Shape[Key] };
type NameIn<Piece extends string> = Piece extends `[...${infer Name}]`
  ? Name
  : Piece extends `[${infer Name}]`
    ? Name
    : never;
type NamesIn<Id extends string> = Id extends `${infer Piece}/${infer Rest}`
  ? NameIn<Piece> | NamesIn<Rest>
  : NameIn<Id>;

/** `{ readonly id: string }` for `/orders/[id]`. */
export type RouteParams<Id extends string> = string extends Id
  ? Readonly<Record<string, string>>
  : Plain<{ readonly [Name in NamesIn<Id>]: string }>;

type ExportOf<Module, Name extends string> = Module extends { [Key in Name]: infer Value } ? Value : undefined;
type Loaded<Load> = Load extends { run: (context: never) => infer Value } ? Awaited<Value> : undefined;

/** What the `load` of a page gives; `undefined` where it has none. */
export type PageData<Id extends PageId> = string extends Id ? unknown : Loaded<ExportOf<Pages[Id], "data">>;
export type LayoutData<Id extends FolderId> = string extends Id ? unknown : Loaded<ExportOf<Folders[Id], "data">>;

/** Names an action of a page: where it is posted to. `action` is there for types alone. */
export interface ActionRef<Action = unknown> {
  readonly name: string;
  readonly href: string;
  readonly action?: Action;
}

type Refs<Actions> = Actions extends object
  ? { readonly [Name in keyof Actions]: ActionRef<Actions[Name]> }
  : Readonly<Record<never, ActionRef>>;

/** The actions of a page, by name. */
export type PageActions<Id extends PageId> = string extends Id
  ? Readonly<Record<string, ActionRef>>
  : Refs<ExportOf<Pages[Id], "actions">>;

/** `/orders/[id]` as the addresses it answers: `/orders/${string}`. */
type AddressOf<Id extends string> = Id extends `${infer Before}[${string}]${infer After}`
  ? `${Before}${string}${AddressOf<After>}`
  : Id;
type Address = AddressOf<PageId>;
type AnyAddress = Address | `${Address}?${string}` | `${Address}#${string}` | `https://${string}` | `http://${string}`;

/**
 * Checks a link's target. The id of a page, or an address that some page answers; a text that is only known when the
 * program runs is taken as it is. For anything else it is the list of pages, so that the compiler's message shows what
 * could have been meant.
 */
export type LinkTo<To extends string> = string extends To
  ? To
  : To extends PageId
    ? To
    : To extends AnyAddress
      ? To
      : // Spelled out: by its name alone the compiler would not say what there is.
        { [Id in PageId]: Id }[PageId];

/** Editors offer the pages; `LinkTo` then judges what was written. */
export type LinkText = PageId | (string & {});

/** Values for the parameters of a link. Numbers are welcome. */
export type LinkParams<To extends string> = { readonly [Name in keyof RouteParams<To>]: string | number };

/** True for the id of a page with parameters: then a link to it must give them. */
type NeedsParams<To extends string> = string extends To
  ? false
  : To extends PageId
    ? [NamesIn<To>] extends [never]
      ? false
      : true
    : false;

/** The props of a link: `to`, and `params` exactly where the page has some. */
export type LinkTarget<To extends string> = {
  to: LinkTo<To>;
  search?: SearchInput;
  hash?: string;
} & (NeedsParams<To> extends true
  ? { params: LinkParams<To> }
  : { params?: string extends To ? Readonly<Record<string, string | number>> : undefined });

/**
 * What follows the target in a call such as `redirect(to, params, …)`: the parameters exactly where the page has some,
 * then the others. Where it has none, the sentence is what the compiler says to whoever writes something else in their
 * place.
 */
export type AfterTarget<To extends string, Others extends readonly unknown[] = []> =
  NeedsParams<To> extends true
    ? [params: LinkParams<To>, ...others: Others]
    : [
        params?: string extends To
          ? Readonly<Record<string, string | number>> | undefined
          : { readonly "this page has no parameters: write undefined, then the search or options"?: never } | undefined,
        ...others: Others,
      ];
