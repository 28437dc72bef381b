import type { Clock } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import type { Applicant } from "./applicant.ts";
import type { AccountLimits } from "./limits.ts";
import { KnownDevices } from "./passwords/known-devices.ts";
import type { PasswordChecks, PasswordProblem, Postponed } from "./passwords/password-checks.ts";
import { SignInSteps } from "./second-factor/sign-in-steps.ts";
import { hashOf } from "./secrets.ts";

export type PasswordChange = { kind: "changed" } | { kind: "wrong" } | PasswordProblem | Postponed;

export type NameChange = { kind: "changed" } | { kind: "refused"; why: string };

export interface OwnAccountDeps {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly limits: AccountLimits;
  readonly checks: PasswordChecks;
}

/** What people change about their own account. */
export class OwnAccount {
  readonly #deps: OwnAccountDeps;

  constructor(deps: OwnAccountDeps) {
    this.#deps = deps;
  }

  /**
   * Changes the name that others see. An empty one removes it, and the address is shown again. No two people have the
   * same name, and none looks like an address, so that a person cannot pass for another.
   */
  async rename(email: string, typed: string): Promise<NameChange> {
    const name = typed.normalize("NFC").trim().replace(/\s+/g, " ");
    const { longestName } = this.#deps.limits;
    if ([...name].length > longestName) return refused(`At most ${longestName} characters.`);
    if (!/^[\p{L}\p{M}\p{N} .,'’()-]*$/u.test(name)) return refused("Letters, digits, spaces and . , ' ’ ( ) - only.");
    if (notPeople.has(name.toLowerCase())) return refused("This name stands for something else.");
    return this.#deps.rows.transaction(async (queries): Promise<NameChange> => {
      const others = await queries.all<{ name: string }>(
        "SELECT name FROM holdfast.account WHERE name IS NOT NULL AND email <> $1",
        email,
      );
      if (name !== "" && others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
        return refused("Another person has this name already.");
      await queries.run("UPDATE holdfast.account SET name = $1 WHERE email = $2", name === "" ? null : name, email);
      return { kind: "changed" };
    });
  }

  /** False for a person who has only ever signed in by the identity provider. */
  async hasPassword(email: string): Promise<boolean> {
    const sql = "SELECT email FROM holdfast.account WHERE email = $1 AND password <> ''";
    return (await this.#deps.rows.one(sql, email)) !== undefined;
  }

  /**
   * Changes the password, after the old one was checked as for signing in. Other sessions end, and other browsers are
   * forgotten: the reason may be that another person knew the old one.
   */
  async changePassword(
    email: string,
    typed: { readonly old: string; readonly wanted: string },
    from: Applicant,
  ): Promise<PasswordChange> {
    const { checks, rows, clock } = this.#deps;
    const problem = checks.problemOf(typed.wanted);
    if (problem !== undefined) return problem;
    const verified = await checks.verify(email, typed.old, from);
    if (verified.kind !== "right") return verified;
    const hashed = await checks.hash(typed.wanted);
    if (hashed.kind !== "hashed") return hashed;
    const isChanged = await rows.transaction(async (queries) => {
      const replace = "UPDATE holdfast.account SET password = $1 WHERE email = $2 AND password = $3";
      if ((await queries.run(replace, hashed.hash, email, verified.stored)) === 0) return false;
      const others = "DELETE FROM holdfast.session WHERE email = $1 AND hash <> $2";
      await queries.run(others, email, hashOf(from.session ?? ""));
      await new SignInSteps(queries, clock).endAll(email);
      await new KnownDevices(queries, clock).forgetAll(email, from.device);
      return true;
    });
    if (!isChanged) return { kind: "wrong" };
    await checks.succeeded(verified.attempts);
    return { kind: "changed" };
  }
}

/** Authors of changes that no person made. */
const notPeople: ReadonlySet<string> = new Set(["events", "clock", "check-ins", "you"]);

function refused(why: string): NameChange {
  return { kind: "refused", why };
}
