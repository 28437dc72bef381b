import { randomInt } from "node:crypto";
import { type Roles, readRoles } from "../accounts/people.ts";
import type { RefusalLog } from "../accounts/refusal-log.ts";
import { hashOf, newSecret } from "../accounts/secrets.ts";
import type { AuditLog } from "../administration/audit-log.ts";
import type { Clock } from "../clock.ts";
import type { RowQueries, Rows } from "../rows/rows.ts";
import type { TokenLimits } from "./limits.ts";
import { LoginCodes } from "./login-codes.ts";
import { RefusedTries } from "./refused-tries.ts";
import { allScopes, isScope, limitedTo, readScopes, writeScopes } from "./scopes.ts";
import type { NewToken, TokenListing, TokenOwner, TokenWish } from "./token.ts";
import type { TokenGrant } from "./token-grant.ts";

/** So that programs that look for leaked secrets recognise a token. */
const tokenPrefix = "hft_";

export type TokenAdmission =
  | { kind: "granted"; grant: TokenGrant }
  /** Never made, revoked, or its person was removed. */
  | { kind: "unknown" }
  | { kind: "expired"; at: number }
  /** This client has sent too many refused tokens. */
  | { kind: "wait"; seconds: number };

export interface TokenDeps {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly limits: TokenLimits;
  readonly audit: AuditLog;
  readonly refusals: RefusalLog;
}

/**
 * Tokens for programs, of people and of projects. Of the long random text only a hash is stored. Each use reads the
 * database, so that a revoked token and a removed person are refused by the next request, in every process.
 */
export class Tokens {
  /** For command lines, which a person confirms in a browser. */
  readonly logins: LoginCodes;
  readonly #deps: TokenDeps;
  readonly #tries: RefusedTries;

  constructor(deps: TokenDeps) {
    this.#deps = deps;
    this.#tries = new RefusedTries(deps.limits);
    this.logins = new LoginCodes({ rows: deps.rows, clock: deps.clock, tokens: this });
  }

  /** The newest first. */
  async list(owner: TokenOwner): Promise<readonly TokenListing[]> {
    const rows = await this.#deps.rows.all<StoredToken>(
      `SELECT ${columns} FROM holdfast.token WHERE ${ownerColumn(owner)} = $1 ORDER BY created DESC, name`,
      ownerValue(owner),
    );
    return rows.map(listingOf);
  }

  /** Makes a token. Its text is in the answer and nowhere else. */
  async create(owner: TokenOwner, wish: TokenWish, by: string): Promise<NewToken> {
    const now = this.#deps.clock.now();
    const name = wish.name.normalize("NFC").trim().replace(/\s+/g, " ");
    const refusal = this.#refusalOf({ ...wish, name }, now);
    if (refusal !== undefined) return { kind: "refused", why: refusal };
    const secret = `${tokenPrefix}${newSecret()}`;
    const token: TokenListing = {
      id: randomInt(1, 2 ** 47),
      name,
      scopes: allScopes.filter((scope) => wish.scopes.includes(scope)),
      created: now,
      by,
      expires: wish.expires,
      used: undefined,
    };
    const inserted = await this.#deps.rows.transaction(
      (queries) => this.#insert(queries, owner, token, secret),
      `tokens of ${owner.kind} ${ownerValue(owner)}`,
    );
    if (inserted.kind === "refused") return inserted;
    await this.#record(owner, inserted.roles, by, `made ${nameIn(owner, token)} (${token.scopes.join(", ")})`);
    return { kind: "created", secret, token };
  }

  /** From now on the token is refused. Resolves with whether the owner had it. */
  async revoke(owner: TokenOwner, id: number, by: string): Promise<boolean> {
    const row = await this.#deps.rows.one<StoredToken>(
      `DELETE FROM holdfast.token WHERE id = $1 AND ${ownerColumn(owner)} = $2 RETURNING ${columns}`,
      id,
      ownerValue(owner),
    );
    if (row === undefined) return false;
    const roles = owner.kind === "person" ? await rolesOf(this.#deps.rows, owner.email) : undefined;
    await this.#record(owner, roles, by, `revoked ${nameIn(owner, row)}`);
    return true;
  }

  /** Revokes all tokens of a project or a person, for example because the project is deleted. */
  async revokeAll(owner: TokenOwner): Promise<number> {
    return this.#deps.rows.run(`DELETE FROM holdfast.token WHERE ${ownerColumn(owner)} = $1`, ownerValue(owner));
  }

  /** Finds what a token permits now. Undefined if it is unknown or has expired. */
  async find(secret: string, now: number = this.#deps.clock.now()): Promise<TokenGrant | undefined> {
    const found = await this.#look(hashOf(secret), now);
    return found.kind === "granted" ? found.grant : undefined;
  }

  /** Admits the holder of a token, for a client with this network address. Refusals are counted and written down. */
  async admit(secret: string, address: string): Promise<TokenAdmission> {
    const { clock, refusals } = this.#deps;
    const hash = hashOf(secret);
    const seconds = this.#tries.begin(address, hash, clock.elapsed());
    if (seconds > 0) return { kind: "wait", seconds };
    const found = await this.#look(hash, clock.now()).finally(() => this.#tries.end(hash));
    if (found.kind === "granted") {
      this.#tries.worked(address, hash);
      return found;
    }
    this.#tries.refused(hash);
    if (found.kind === "expired") await refusals.add({ ...found.of, why: `expired token ${found.name}` });
    else await refusals.add({ who: undefined, why: "unknown or revoked token" });
    return found;
  }

  async #look(hash: string, now: number): Promise<Found> {
    const { rows, limits } = this.#deps;
    const row = await rows.one<StoredToken & { roles: string | null }>(
      `SELECT ${columns}, account.roles FROM holdfast.token LEFT JOIN holdfast.account ON account.email = token.email
       WHERE hash = $1`,
      hash,
    );
    const owner = row && ownerOf(row);
    if (row === undefined || owner === undefined) return { kind: "unknown" };
    if (row.expires !== null && row.expires <= now)
      return { kind: "expired", at: row.expires, name: row.name, of: refusedOf(owner) };
    const usedBefore = now - limits.usedEveryMs;
    if (row.used === null || row.used <= usedBefore)
      await rows.run(
        "UPDATE holdfast.token SET used = $1 WHERE id = $2 AND (used IS NULL OR used <= $3)",
        now,
        row.id,
        usedBefore,
      );
    const scopes = readScopes(row.scopes);
    return { kind: "granted", grant: { id: row.id, name: row.name, scopes, owner, person: personOf(owner, row) } };
  }

  async #insert(queries: RowQueries, owner: TokenOwner, token: TokenListing, secret: string): Promise<Inserted> {
    const { limits } = this.#deps;
    const roles = owner.kind === "person" ? await rolesOf(queries, owner.email) : undefined;
    if (owner.kind === "person" && roles === undefined)
      return { kind: "refused", why: `${owner.email} has no account of this service.` };
    const of = ownerColumn(owner);
    await queries.run("DELETE FROM holdfast.token WHERE expires < $1", token.created - limits.keepExpiredMs);
    const existing = await queries.all<{ name: string }>(
      `SELECT name FROM holdfast.token WHERE ${of} = $1`,
      ownerValue(owner),
    );
    if (existing.some(({ name }) => name === token.name))
      return { kind: "refused", why: `There is a token named ${token.name} already.` };
    if (existing.length >= limits.tokensEach)
      return { kind: "refused", why: `There are ${limits.tokensEach} tokens, the most. Revoke one first.` };
    await queries.run(
      `INSERT INTO holdfast.token (id, hash, name, ${of}, scopes, created, made_by, expires)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      token.id,
      hashOf(secret),
      token.name,
      ownerValue(owner),
      writeScopes(token.scopes),
      token.created,
      token.by,
      token.expires ?? null,
    );
    return { kind: "inserted", roles };
  }

  #refusalOf({ name, scopes, expires }: TokenWish, now: number): string | undefined {
    const { longestName } = this.#deps.limits;
    if (name === "") return "A token needs a name.";
    if ([...name].length > longestName) return `A name has at most ${longestName} characters.`;
    if (/\p{C}/u.test(name)) return "A name has no control characters.";
    const strange = scopes.find((scope) => !isScope(scope));
    if (strange !== undefined) return `There is no scope "${strange.slice(0, 40)}", only ${allScopes.join(", ")}.`;
    if (scopes.length === 0) return `A token needs a scope: ${allScopes.join(", ")}.`;
    if (expires !== undefined && !(Number.isSafeInteger(expires) && expires > now))
      return "The token would have expired already.";
    return undefined;
  }

  /** What people do with their own tokens is seen by the owners of their projects, and of no others. */
  async #record(owner: TokenOwner, roles: Roles | undefined, by: string, what: string): Promise<void> {
    const { audit, clock } = this.#deps;
    const entry = { at: clock.now(), by, what };
    if (owner.kind === "project") return audit.add({ ...entry, project: owner.project });
    if (typeof roles === "string") return audit.add(entry);
    for (const project of Object.keys(roles ?? {})) await audit.add({ ...entry, project: Number(project) });
  }
}

type Found =
  | Extract<TokenAdmission, { kind: "granted" | "unknown" }>
  | { kind: "expired"; at: number; name: string; of: { who: string | undefined; project?: number } };

type Inserted = { kind: "inserted"; roles: Roles | undefined } | Extract<NewToken, { kind: "refused" }>;

interface StoredToken {
  id: number;
  name: string;
  email: string | null;
  project: number | null;
  scopes: string;
  created: number;
  made_by: string;
  expires: number | null;
  used: number | null;
}

const columns = ["id", "name", "email", "project", "scopes", "created", "made_by", "expires", "used"]
  .map((column) => `token.${column}`)
  .join(", ");

function listingOf({ id, name, scopes, created, made_by: by, expires, used }: StoredToken): TokenListing {
  return {
    id,
    name,
    scopes: [...readScopes(scopes)],
    created,
    by,
    expires: expires ?? undefined,
    used: used ?? undefined,
  };
}

function ownerColumn({ kind }: TokenOwner): "email" | "project" {
  return kind === "person" ? "email" : "project";
}

function ownerValue(owner: TokenOwner): string | number {
  return owner.kind === "person" ? owner.email : owner.project;
}

function nameIn(owner: TokenOwner, { name }: { name: string }): string {
  return owner.kind === "person" ? `the personal token ${name} of ${owner.email}` : `the token ${name}`;
}

function ownerOf({ email, project, roles }: StoredToken & { roles: string | null }): TokenGrant["owner"] | undefined {
  if (email !== null) return roles === null ? undefined : { kind: "person", email, roles: readRoles(roles) };
  return project === null ? undefined : { kind: "project", project };
}

function personOf(owner: TokenGrant["owner"], { name, scopes }: StoredToken): TokenGrant["person"] {
  const person =
    owner.kind === "person"
      ? { name: owner.email, roles: owner.roles }
      : { name: `token ${name}`, roles: { [owner.project]: "owner" as const } };
  return limitedTo(readScopes(scopes), person);
}

function refusedOf(owner: TokenGrant["owner"]): { who: string | undefined; project?: number } {
  return owner.kind === "person" ? { who: owner.email } : { who: undefined, project: owner.project };
}

/** The row is locked until the end of a transaction, so that no token is made for an account that is removed. */
async function rolesOf(queries: RowQueries, email: string): Promise<Roles | undefined> {
  const row = await queries.one<{ roles: string }>(
    "UPDATE holdfast.account SET roles = roles WHERE email = $1 RETURNING roles",
    email,
  );
  return row && readRoles(row.roles);
}
