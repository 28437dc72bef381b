import type { SearchInput } from "./search-input.ts";

/**
 * Types of an application's routes. The build writes one declaration file that fills `HoldfastApplication`; without it,
 * every type is as wide as plain strings. The interface is global, so that a declaration reaches it through every entry
 * point of the package.
 */
declare global {
  interface HoldfastApplication {}
}

/** One field of the generated declaration, or a default without one. */
type Known<Field extends string, Otherwise> = Field extends keyof HoldfastApplication
  ? HoldfastApplication[Field]
  : Otherwise;

/** Pages, API routes and folders by id; each has the type of its server module, or `null`. */
type Pages = Known<"pages", Record<string, unknown>>;
type Apis = Known<"apis", Record<never, unknown>>;
type Folders = Known<"folders", Record<string, unknown>>;

/** Ids of pages: `"/" | "/orders/[id]"`. */
export type PageId = keyof Pages & string;
/** Ids of pages and API routes: everything that has an address. */
export type RouteId = PageId | (keyof Apis & string);
/** Ids of folders with special files, including groups: `"/" | "/(shop)/orders"`. */
export type FolderId = keyof Folders & string;
/** Return type of the request hook in `src/request.server.ts`. */
export type LocalsOf = Known<"locals", object>;

/** The languages of the configuration: `"en" | "de"`. */
export type Language = Known<"languages", string>;

type Plain<Shape> = { [Key in keyof Shape]: Shape[Key] };
type PieceOf<Id extends string> = Id extends `${infer Piece}/${infer Rest}` ? Piece | PieceOf<Rest> : Id;
/** `id` of `id=integer`. */
type WithoutMatcher<Text extends string> = Text extends `${infer Name}=${string}` ? Name : Text;
type OptionalIn<Piece extends string> = Piece extends `[[${infer Text}]]` ? WithoutMatcher<Text> : never;
type NameIn<Piece extends string> = Piece extends `[[${string}`
  ? never
  : Piece extends `[...${infer Name}]`
    ? Name
    : Piece extends `[${infer Text}]`
      ? WithoutMatcher<Text>
      : never;
type OptionalsIn<Id extends string> = OptionalIn<PieceOf<Id>>;
type NamesIn<Id extends string> = NameIn<PieceOf<Id>>;

/** `{ readonly id: string }` for `/orders/[id]`, `{ readonly page?: string | undefined }` for `/blog/[[page]]`. */
export type RouteParams<Id extends string> = string extends Id
  ? Readonly<Record<string, string>>
  : Plain<{ readonly [Name in NamesIn<Id>]: string } & { readonly [Name in OptionalsIn<Id>]?: string | undefined }>;

// The types below are looked up, not inferred from a pattern. For a pattern the compiler compares the module or the
// schema of each page with it: a third of the instantiations that the search of a page takes.
type ExportOf<Module, Name extends string> = Name extends keyof Module ? Module[Name] : undefined;
type Loaded<Load> = Load extends { readonly run: unknown } ? Returned<Load["run"]> : undefined;
/** `ReturnType` is `any` for a function whose context is `never`. */
type Returned<Run> = Run extends (...args: never) => infer Value ? Awaited<Value> : unknown;

/** What a Standard Schema accepts and returns; `undefined` for another value. */
type TypesOf<Schema> = Schema extends { readonly "~standard": { readonly types?: unknown } }
  ? NonNullable<Schema["~standard"]["types"]>
  : undefined;

/** What a schema that a server module exports accepts and returns; `undefined` without one. */
type SchemaTypes<Module, Name extends string> = TypesOf<ExportOf<Module, Name>>;
type InputOf<Types> = Types extends { readonly input: unknown } ? Types["input"] : undefined;
type OutputOf<Types> = Types extends { readonly output: unknown } ? Types["output"] : undefined;

type ModuleOf<Id extends string> = Id extends keyof Pages ? Pages[Id] : Id extends keyof Apis ? Apis[Id] : null;
type ParamsTypes<Id extends string> = SchemaTypes<ModuleOf<Id>, "params">;

/** The parameters of a page or API route: as its `params` schema returns them, or texts without one. */
export type PageParams<Id extends string> = string extends Id
  ? RouteParams<Id>
  : ParamsTypes<Id> extends undefined
    ? RouteParams<Id>
    : OutputOf<ParamsTypes<Id>>;

/** The same for guards and loads. One of a folder with the same id gets texts, so it is either where there is one. */
export type ContextParams<Id extends string> = Id extends keyof Folders
  ? Folders[Id] extends null
    ? PageParams<Id>
    : PageParams<Id> | RouteParams<Id>
  : PageParams<Id>;

/** Data of a page's `load`; `undefined` without one. */
export type PageData<Id extends PageId> = string extends Id ? unknown : Loaded<ExportOf<Pages[Id], "data">>;
export type LayoutData<Id extends FolderId> = string extends Id ? unknown : Loaded<ExportOf<Folders[Id], "data">>;

/** What a page's `search` schema accepts and returns; `undefined` for a page without one. */
type SearchTypes<Id extends string> = Id extends keyof Pages ? SchemaTypes<Pages[Id], "search"> : undefined;

/** The search of a page, as its `search` schema returns it; `undefined` for a page without one. */
export type PageSearch<Id extends string> = string extends Id ? unknown : OutputOf<SearchTypes<Id>>;

/** The prop `search` of a page that has a schema. */
export type SearchProps<Id extends string> = PageSearch<Id> extends undefined ? unknown : { search: PageSearch<Id> };

type Settable<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** Search of a page with a schema: what the page reads. A key that the schema accepts as missing may be missing. */
type SearchOf<Input, Output> = {
  readonly [Key in keyof Input]: Key extends keyof Output ? Settable<Output[Key]> : never;
};

/** Search of a link: that of the page's schema; without one any values. */
export type LinkSearch<To extends string> = string extends To
  ? SearchInput
  : SearchTypes<To> extends undefined
    ? SearchInput
    : SearchOf<InputOf<SearchTypes<To>>, OutputOf<SearchTypes<To>>>;

/** True for a page whose schema has a key without a default: a link to it must have a search. */
type NeedsSearch<To extends string> = Record<never, never> extends LinkSearch<To> ? false : true;

/** `search` as a property: required exactly if the page needs one. */
type SearchProperty<To extends string> =
  NeedsSearch<To> extends true ? { search: LinkSearch<To> } : { search?: LinkSearch<To> | undefined };

/** `search` as an argument, then the others. */
export type SearchArgument<To extends string, Others extends readonly unknown[]> =
  NeedsSearch<To> extends true
    ? [search: LinkSearch<To>, ...others: Others]
    : [search?: LinkSearch<To> | undefined, ...others: Others];

/** Options as the last argument, with the search of the target among them. */
export type TargetArgument<To extends string, Options> =
  NeedsSearch<To> extends true ? [options: Options & SearchProperty<To>] : [options?: Options & SearchProperty<To>];

/** Ids of API routes with a socket. */
export type SocketId = "apis" extends keyof HoldfastApplication
  ? { [Id in keyof Apis & string]: ExportOf<Apis[Id], "socket"> extends undefined ? never : Id }[keyof Apis & string]
  : string;
type SocketOf<Id> = Id extends keyof Apis ? ExportOf<Apis[Id], "socket"> : unknown;
/** What the client of a socket sends. */
export type SocketTakes<Id extends string> = SocketOf<Id> extends { accepts?: infer Message } ? Message : unknown;
/** What the client of a socket gets. */
export type SocketGives<Id extends string> = SocketOf<Id> extends { gives?: infer Message } ? Message : unknown;

/** Reference to an action, with its address. `action` exists for types only. */
export interface ActionRef<Action = unknown> {
  /** Differs for all actions that a page may use. */
  readonly name: string;
  readonly href: string;
  /** Whether it belongs to another page than the one that is shown. */
  readonly isElsewhere?: boolean;
  readonly action?: Action;
}

/** References to actions, by name. */
export type ActionRefs<Actions> = Actions extends object
  ? { readonly [Name in keyof Actions]: ActionRef<Actions[Name]> }
  : Readonly<Record<never, ActionRef>>;

/** The actions of a page, by name. */
export type PageActions<Id extends PageId> = string extends Id
  ? Readonly<Record<string, ActionRef>>
  : ActionRefs<ExportOf<Pages[Id], "actions">>;

/** The actions of a layout, by name. */
export type LayoutActions<Id extends FolderId> = string extends Id
  ? Readonly<Record<string, ActionRef>>
  : ActionRefs<ExportOf<Folders[Id], "actions">>;

/** Addresses that `/orders/[id]` matches: `/orders/${string}`. */
type AddressOf<Id extends string> = Id extends `${infer Before}/[[${string}]]${infer After}`
  ? `${AddressOf<Before>}${AddressOf<After>}` | `${AddressOf<Before>}/${string}${AddressOf<After>}`
  : Id extends `${infer Before}[${string}]${infer After}`
    ? `${Before}${string}${AddressOf<After>}`
    : Id;
type Address = AddressOf<PageId> | RootAddress;
/** Of a page such as `/[[lang]]`. */
type RootAddress = "" extends AddressOf<PageId> ? "/" : never;
type AnyAddress = Address | `${Address}?${string}` | `${Address}#${string}` | `https://${string}` | `http://${string}`;

/**
 * Checks a link's target: the id of a page, or an address that a page matches. A text that is only known at run time is
 * accepted. For others it is the list of pages, so that the compiler's message shows the choices. `href` also accepts
 * the id of an API route.
 */
export type LinkTo<To extends string, Ids extends string = PageId> = string extends To
  ? To
  : To extends Ids
    ? To
    : To extends AnyAddress
      ? To
      : // Expanded, because the compiler's message would otherwise show the alias instead of the pages.
        { [Id in Ids]: Id }[Ids];

/** Editors suggest the pages; `LinkTo` then checks the text. */
export type LinkText<Ids extends string = PageId> = Ids | (string & {});

/** What an address can have as a parameter. */
type Writable = string | number | boolean | bigint;

/** What the schema returns, if an address can have it; otherwise what it accepts. */
type LinkParam<Types, Name> = Types extends { input: infer Input; output: infer Output }
  ? WritableOf<Output, Name, WritableOf<Input, Name, string | number>>
  : string | number;
type WritableOf<Values, Name, Otherwise> = Name extends keyof Values
  ? [Exclude<Values[Name], undefined>] extends [Writable]
    ? Exclude<Values[Name], undefined>
    : Otherwise
  : Otherwise;

/** Values of a link's parameters: those of the route's schema; without one texts and numbers. */
export type LinkParams<To extends string> = {
  readonly [Name in keyof RouteParams<To>]:
    | LinkParam<ParamsTypes<To>, Name>
    | (undefined extends RouteParams<To>[Name] ? undefined : never);
};

/** True for a route with parameters: a link to it must have them. */
type NeedsParams<To extends string> = string extends To
  ? false
  : To extends RouteId
    ? [NamesIn<To>] extends [never]
      ? false
      : true
    : false;

/** What a link to a route that does not need parameters may have as such. */
type FreeParams<To extends string, None> = string extends To
  ? Readonly<Record<string, string | number>>
  : To extends RouteId
    ? [OptionalsIn<To>] extends [never]
      ? None
      : LinkParams<To>
    : None;

/** Props of a link: `to`, and `params` exactly if the page has some. */
export type LinkTarget<To extends string> = {
  to: LinkTo<To>;
  hash?: string;
  /** The language of the target; that of the present page by default. */
  lang?: Language;
} & SearchProperty<To> &
  (NeedsParams<To> extends true ? { params: LinkParams<To> } : { params?: FreeParams<To, undefined> });

/**
 * Arguments after the target in a call such as `redirect(to, params, …)`: parameters exactly if the page has some, then
 * the others. Without parameters, the property name is the message that the compiler shows for a wrong argument.
 */
export type AfterTarget<To extends string, Others extends readonly unknown[] = []> =
  NeedsParams<To> extends true
    ? [params: LinkParams<To>, ...others: Others]
    : [
        params?:
          | FreeParams<
              To,
              { readonly "this page has no parameters: write undefined, then the search or options"?: never }
            >
          | undefined,
        ...others: Others,
      ];
