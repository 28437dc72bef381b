import type { InputOf, OutputOf, TypesOf } from "./schema-types.ts";
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

// An application may have hundreds of routes, so the types below are built to be cheap. Names and modules are looked up
// in tables: to infer them from a pattern takes the compiler a multiple. Types that do not depend on the id itself are
// shared by all routes: see `Params`. `tests/journeys/generated-types.test.ts` counts what a route costs.

/** Names of the parameters of routes and folders that have some. An id without any is missing. */
type ParamNames = Known<"params", Record<never, never>>;
type OptionalNames = Known<"optionalParams", Record<never, never>>;
type NamesIn<Id extends string> = Id extends keyof ParamNames ? ParamNames[Id] : never;

type AnyParams<Value> = Readonly<Record<string, Value>>;
/** By names, so that all routes with the same names share one type. */
type Params<Names, Value> = { readonly [Name in Names & string]: Value };
type ParamsWith<Names, Optionals, Value> = Params<Names, Value> & {
  readonly [Name in Optionals & string]?: Value | undefined;
};

type ParamsBy<Id extends string, Value> = "params" extends keyof HoldfastApplication
  ? string extends Id
    ? AnyParams<Value>
    : Id extends keyof OptionalNames
      ? ParamsWith<NamesIn<Id>, OptionalNames[Id], Value>
      : Params<NamesIn<Id>, Value>
  : AnyParams<Value>;

/** `{ readonly id: string }` for `/orders/[id]`, `{ readonly page?: string | undefined }` for `/blog/[[page]]`. */
export type RouteParams<Id extends string> = ParamsBy<Id, string>;

/**
 * An entry of a table. The table is a parameter: for one that is written out, the compiler lists all of its keys as
 * possible values of `Key`, which in `ContextParams` were 1,200 types more per checker for 500 routes.
 */
type At<Table, Key, Otherwise> = Key extends keyof Table ? Table[Key] : Otherwise;

type ExportOf<Module, Name extends string> = Name extends keyof Module ? Module[Name] : undefined;
type Loaded<Load> = Load extends { readonly gives?: { readonly data: unknown } }
  ? NonNullable<Load["gives"]>["data"]
  : undefined;

/** What a schema that a server module exports accepts and returns; `undefined` without one. */
type SchemaTypes<Module, Name extends string> = TypesOf<ExportOf<Module, Name>>;

type ModuleOf<Id extends string> = Id extends keyof Pages ? Pages[Id] : Id extends keyof Apis ? Apis[Id] : null;
type ParamsTypes<Id extends string> = SchemaTypes<ModuleOf<Id>, "params">;

/** The parameters of a page or API route: as its `params` schema returns them, or texts without one. */
export type PageParams<Id extends string> = string extends Id
  ? RouteParams<Id>
  : ParamsTypes<Id> extends undefined
    ? RouteParams<Id>
    : OutputOf<ParamsTypes<Id>>;

/**
 * The same for guards and loads. One of a folder with the same id gets texts, so it is either where there is one. Each
 * id of a union is asked on its own: a folder with one of them changes nothing for the others.
 */
export type ContextParams<Id extends string> = Id extends unknown
  ? At<Folders, Id, null> extends null
    ? PageParams<Id>
    : PageParams<Id> | RouteParams<Id>
  : never;

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

/** Whether a target is the id of a page. */
export type IsPage<To extends string> = To extends keyof Pages ? true : false;

/** Search of a link: that of the page's schema; without one any values. `infer` as for `LinkParams`. */
export type LinkSearch<To extends string> = SearchFor<To> extends infer Search extends object ? Search : never;

/**
 * The same without a check that it is an object. For a page with a schema: what the page reads. A key that the schema
 * accepts as missing may be missing.
 */
export type SearchFor<To extends string> = string extends To
  ? SearchInput
  : SearchTypes<To> extends undefined
    ? SearchInput
    : {
        readonly [Key in keyof InputOf<SearchTypes<To>>]: Key extends keyof OutputOf<SearchTypes<To>>
          ? Settable<OutputOf<SearchTypes<To>>[Key]>
          : never;
      };

/** True for a page whose schema has a key without a default: a link to it must have a search. */
type NeedsSearch<To extends string> =
  SearchTypes<To> extends undefined ? false : Record<never, never> extends InputOf<SearchTypes<To>> ? false : true;

/** `search` as a property: required exactly if the page needs one. */
type SearchProperty<To extends string> =
  NeedsSearch<To> extends true ? { search: LinkSearch<To> } : { search?: LinkSearch<To> | undefined };

/** `search` as an argument, then the others. */
export type SearchArgument<To extends string, Others extends readonly unknown[]> = SearchFirst<
  NeedsSearch<To>,
  LinkSearch<To>,
  Others
>;
type SearchFirst<Needed, Search, Others extends readonly unknown[]> = Needed extends true
  ? [search: Search, ...others: Others]
  : [search?: Search | undefined, ...others: Others];

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
export type LinkTo<To extends string, Ids extends string = PageId> =
  // Expanded, because the compiler's message would otherwise show the alias instead of the pages.
  IsTarget<To, Ids> extends true ? Itself<To> : { [Id in Ids]: Id }[Ids];

/** A condition, because the compiler prefers any other candidate to one that it infers from `To` alone. */
type Itself<To> = To extends string ? To : never;
type IsTarget<To extends string, Ids extends string> = string extends To
  ? true
  : To extends Ids
    ? true
    : To extends AnyAddress
      ? true
      : false;

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

/**
 * Values of a link's parameters: those of the route's schema; without one texts and numbers. `infer` keeps the compiler
 * from asking what the type may be for any target, for which it would read the schemas of all pages.
 */
export type LinkParams<To extends string> =
  ParamsFor<To> extends infer Values extends AnyParams<Writable | undefined> ? Values : never;

/** The same where nothing has to know that they are parameters, without a comparison for each target. */
export type ParamsFor<To extends string> =
  ParamsTypes<To> extends undefined
    ? ParamsBy<To, string | number>
    : {
        readonly [Name in keyof RouteParams<To>]:
          | LinkParam<ParamsTypes<To>, Name>
          | (undefined extends RouteParams<To>[Name] ? undefined : never);
      };

/** True for a route with parameters: a link to it must have them. */
type NeedsParams<To extends string> = To extends keyof ParamNames ? true : false;

/** What a link to a page must have. */
export type LinkNeeds<To extends string> =
  NeedsParams<To> extends true
    ? NeedsSearch<To> extends true
      ? "both"
      : "params"
    : NeedsSearch<To> extends true
      ? "search"
      : "nothing";

/** What a link to a route that does not need parameters may have as such. */
export type FreeParams<To extends string, None> = string extends To
  ? AnyParams<string | number>
  : "params" extends keyof HoldfastApplication
    ? To extends keyof OptionalNames
      ? LinkParams<To>
      : None
    : AnyParams<string | number>;

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
export type AfterTarget<To extends string, Others extends readonly unknown[] = []> = ParamsFirst<
  NeedsParams<To>,
  LinkParams<To>,
  FreeParams<To, { readonly "this page has no parameters: write undefined, then the search or options"?: never }>,
  Others
>;
type ParamsFirst<Needed, Params, Free, Others extends readonly unknown[]> = Needed extends true
  ? [params: Params, ...others: Others]
  : [params?: Free | undefined, ...others: Others];
