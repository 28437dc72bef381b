import { createHash } from "node:crypto";
import { hashOf, newSecret } from "../accounts/secrets.ts";
import type { Clock } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import type { NewToken, TokenListing, TokenOwner, TokenWish } from "./token.ts";

/** A browser hands the code to the command line at once. */
const codeMs = 120_000;

export interface LoginWish extends TokenWish {
  readonly email: string;
  /** SHA-256 of the verifier that only the command line knows, in base64url (RFC 7636). */
  readonly challenge: string;
}

export type LoginEnd = NewToken | { kind: "unknown" };

export interface LoginCodeDeps {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly tokens: TokenMaker;
}

interface TokenMaker {
  list(owner: TokenOwner): Promise<readonly TokenListing[]>;
  create(owner: TokenOwner, wish: TokenWish, by: string): Promise<NewToken>;
  revoke(owner: TokenOwner, id: number, by: string): Promise<boolean>;
}

/**
 * Codes with which a command line gets a token after a person has confirmed it in a browser. The token itself is never
 * part of an address. A code works once, and only with the verifier of the program that began.
 */
export class LoginCodes {
  readonly #deps: LoginCodeDeps;

  constructor(deps: LoginCodeDeps) {
    this.#deps = deps;
  }

  /** A person has one code at a time: another one replaces it. Undefined for a challenge that is no hash. */
  async begin({ email, name, scopes, expires, challenge }: LoginWish): Promise<string | undefined> {
    if (!/^[\w-]{43}$/.test(challenge)) return undefined;
    const { rows, clock } = this.#deps;
    const code = newSecret();
    await rows.transaction(async (queries) => {
      await queries.run("DELETE FROM holdfast.login_code WHERE email = $1 OR ends <= $2", email, clock.now());
      await queries.run(
        `INSERT INTO holdfast.login_code (hash, email, name, scopes, expires, challenge, ends)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        hashOf(code),
        email,
        name,
        scopes.join(" "),
        expires ?? null,
        challenge,
        clock.now() + codeMs,
      );
    });
    return code;
  }

  /** Exchanges a code for a token. A token that the person has of this name, of the login before, is replaced. */
  async finish(code: string, verifier: string): Promise<LoginEnd> {
    const { rows, clock, tokens } = this.#deps;
    const row = await rows.one<StoredCode>(
      "DELETE FROM holdfast.login_code WHERE hash = $1 RETURNING email, name, scopes, expires, challenge, ends",
      hashOf(code),
    );
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    if (row === undefined || row.challenge !== challenge || row.ends <= clock.now()) return { kind: "unknown" };
    const owner = { kind: "person", email: row.email } as const;
    for (const { id } of (await tokens.list(owner)).filter(({ name }) => name === row.name))
      await tokens.revoke(owner, id, row.email);
    const wish = { name: row.name, scopes: row.scopes.split(" "), expires: row.expires ?? undefined };
    return tokens.create(owner, wish, row.email);
  }
}

interface StoredCode {
  email: string;
  name: string;
  scopes: string;
  expires: number | null;
  challenge: string;
  ends: number;
}
