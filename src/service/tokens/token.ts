import type { Scope } from "./scopes.ts";

export type TokenOwner =
  | { readonly kind: "person"; readonly email: string }
  | { readonly kind: "project"; readonly project: number };

export interface TokenWish {
  readonly name: string;
  /** Each is checked: they come from a form, a request or the command line. */
  readonly scopes: readonly string[];
  /** Undefined for a token that does not expire. */
  readonly expires?: number | undefined;
}

/** A token as its owner sees it in a list. */
export interface TokenListing {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created: number;
  readonly by: string;
  readonly expires: number | undefined;
  /** The last use, to the minute. */
  readonly used: number | undefined;
}

export type NewToken =
  /** `secret` is here and nowhere else. */
  { kind: "created"; secret: string; token: TokenListing } | { kind: "refused"; why: string };
