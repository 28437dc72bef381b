import type { Access } from "../accounts/access.ts";
import type { SharedState } from "../shared/shared-state.ts";
import type { LoginEnd, LoginWish } from "../tokens/login-codes.ts";
import type { NewToken, TokenListing, TokenOwner, TokenWish } from "../tokens/token.ts";
import type { TokenGrant } from "../tokens/token-grant.ts";
import type { TokenAdmission } from "../tokens/tokens.ts";

/** Tokens of people and projects. The caller has checked that the person may change those of the owner. */
export interface TokensApi {
  /** Whether people have tokens of their own. Where the application signs them in, their roles are unknown here. */
  readonly forPeople: boolean;
  list(owner: TokenOwner): Promise<readonly TokenListing[]>;
  /** Makes a token. Its text is in the answer and nowhere else. */
  create(owner: TokenOwner, wish: TokenWish, by: string): Promise<NewToken>;
  /** From now on the token is refused, in every process. Resolves with whether the owner had it. */
  revoke(owner: TokenOwner, id: number, by: string): Promise<boolean>;
  /** Admits a client with this network address. Refusals are counted for the address and written down. */
  admit(secret: string, address: string): Promise<TokenAdmission>;
  /** A person permits a command line to have a token. Resolves with a code for it, if the challenge is one. */
  beginLogin(wish: LoginWish): Promise<string | undefined>;
  /** Exchanges such a code for a token. */
  finishLogin(code: string, verifier: string): Promise<LoginEnd>;
  /** Finds what a token permits now, without counting. */
  find(secret: string, now?: number): Promise<TokenGrant | undefined>;
}

export interface TokensApiDeps {
  readonly shared: Pick<SharedState, "tokens" | "projects">;
  readonly access: Access;
}

export function openTokensApi({ shared, access }: TokensApiDeps): TokensApi {
  const forPeople = access.kind !== "application";
  const isUsable = ({ owner }: TokenGrant): boolean =>
    owner.kind === "person" ? forPeople : shared.projects.byId(owner.project) !== undefined;
  return {
    forPeople,
    list: (owner) => shared.tokens.list(owner),
    async create(owner, wish, by) {
      if (owner.kind === "person" && !forPeople) return { kind: "refused", why: noPeople };
      if (owner.kind === "project" && shared.projects.byId(owner.project) === undefined)
        return { kind: "refused", why: `There is no project ${owner.project}.` };
      return shared.tokens.create(owner, wish, by);
    },
    revoke: (owner, id, by) => shared.tokens.revoke(owner, id, by),
    async admit(secret, address) {
      const admission = await shared.tokens.admit(secret, address);
      return admission.kind === "granted" && !isUsable(admission.grant) ? { kind: "unknown" } : admission;
    },
    beginLogin: async (wish) => (forPeople ? shared.tokens.logins.begin(wish) : undefined),
    finishLogin: (code, verifier) => shared.tokens.logins.finish(code, verifier),
    async find(secret, now) {
      const grant = await shared.tokens.find(secret, now);
      return grant !== undefined && isUsable(grant) ? grant : undefined;
    },
  };
}

const noPeople = "People of this console are signed in by the application. Make a token of the project instead.";
