import type { ComponentType, ReactNode } from "react";
import type {
  FolderId,
  Language,
  LayoutActions,
  LayoutData,
  PageActions,
  PageData,
  PageId,
  PageParams,
  PageSearch,
  RouteParams,
} from "#routes";
import type { FieldName, FieldsOf, MessageNameOf, ResultOf } from "../react/action-types.ts";
import type { DataOutcome } from "../react/data-outcome.ts";
import type { FailedStatus } from "../view.ts";

/** Required, unless it may be undefined. */
type Given<Name extends string, Value> = undefined extends Value
  ? { readonly [Key in Name]?: Value }
  : { readonly [Key in Name]: Value };

/** Required, unless there is nothing to give. */
type GivenParams<Params> =
  Record<never, never> extends Params ? { readonly params?: Params } : { readonly params: Params };

/** For a page with a search schema: its search, as the schema returns it. */
type GivenSearch<Search> = undefined extends Search
  ? { readonly search?: undefined }
  : {
      readonly search: Search;
      /** The search of an address without one. Links leave these values out. */
      readonly defaults?: Partial<Search>;
    };

/** What a page gets in a test in place of its server half and the browser. */
export type PageStubs<Id extends PageId> = Given<"data", PageData<Id>> &
  GivenParams<PageParams<Id>> &
  (string extends Id ? { readonly search?: unknown; readonly defaults?: object } : GivenSearch<PageSearch<Id>>) & {
    /** Called in place of the actions of the server half. */
    readonly actions?: ActionStubs<Id>;
    /** A form that was sent before: it shows this outcome at once. */
    readonly submitted?: SubmittedStub<Id>;
    /** Called in place of the loads of other pages that the page fetches, by their ids. */
    readonly loads?: { readonly [Other in PageId]?: LoadStub<Other> };
    /** Layouts around the page, by folder, with their data. Without any, only the page is shown. */
    readonly layouts?: { readonly [Folder in FolderId]?: LayoutStub<Folder> };
    /** The language of the page, for `useLanguage`. */
    readonly lang?: Language;
  };

export type ActionStubs<Id extends PageId> = StubsOf<PageActions<Id>>;

type StubsOf<Actions> = { readonly [Name in keyof Actions]?: ActionStub<Actions[Name]> };

/** `fields` are the texts of the form; `form` also has its files and repeated fields. */
export type ActionStub<Action = unknown> = (
  fields: { readonly [Name in FieldName<Action>]?: string },
  form: FormData,
) => StubOutcome<Action> | Promise<StubOutcome<Action>>;

/** `params` and `search` are those of the address. */
export type LoadStub<Id extends PageId> = (to: {
  params: RouteParams<Id>;
  search: URLSearchParams;
}) => LoadStubOutcome<Id> | Promise<LoadStubOutcome<Id>>;

type LoadStubOutcome<Id extends PageId> = Exclude<DataOutcome<PageData<Id>>, { kind: "superseded" }>;

type SubmittedStub<Id extends PageId> = {
  readonly [Name in keyof PageActions<Id> & string]: {
    readonly action: Name;
    readonly outcome: StubOutcome<PageActions<Id>[Name]>;
  };
}[keyof PageActions<Id> & string];

export interface LayoutStub<Folder extends FolderId> {
  readonly layout: ComponentType<{
    data: LayoutData<Folder>;
    params: RouteParams<Folder>;
    actions: LayoutActions<Folder>;
    children: ReactNode;
  }>;
  readonly data?: LayoutData<Folder>;
  /** Called in place of the actions of the layout's server half. */
  readonly actions?: StubsOf<LayoutActions<Folder>>;
}

type Messages = string | readonly string[];

/** The outcome of an action, as forms and fetchers show it. */
export type StubOutcome<Action = unknown> =
  | (undefined extends ResultOf<Action>
      ? { readonly kind: "done"; readonly result?: ResultOf<Action> }
      : { readonly kind: "done"; readonly result: ResultOf<Action> })
  | {
      readonly kind: "invalid";
      readonly fields?: { readonly [Name in MessageNameOf<FieldsOf<Action>>]?: Messages };
      /** Messages that belong to no field. */
      readonly form?: Messages;
    }
  | { readonly kind: "failed"; readonly status?: FailedStatus; readonly digest?: string; readonly message?: string }
  | { readonly kind: "redirected"; readonly to: string };

/** Props that a page file gets. */
export type StubbedProps<Id extends PageId> = {
  data: PageData<Id>;
  params: PageParams<Id>;
  actions: PageActions<Id>;
} & (PageSearch<Id> extends undefined ? unknown : { search: PageSearch<Id> });

/** A navigation that the page began. Nothing was loaded. */
export interface RecordedNavigation {
  /** Path, search and hash; an address of another site as a whole. */
  to: string;
  replace: boolean;
}

/** A form or fetcher that the page sent. */
export interface RecordedSubmission {
  action: string;
  fields: Readonly<Record<string, string>>;
  form: FormData;
}
