import { Refusals, sourceOf, TokenBuckets, Turns } from "#bounds";
import type { Clock } from "../../clock.ts";
import type { Rows } from "../../rows/rows.ts";
import type { Applicant } from "../applicant.ts";
import type { AccountLimits } from "../limits.ts";
import type { RefusalLog } from "../refusal-log.ts";
import { Attempts } from "./attempts.ts";
import { KnownDevices } from "./known-devices.ts";
import { hashPassword, isPassword } from "./passwords.ts";

export interface PasswordCheckDeps {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly limits: AccountLimits;
  readonly refusals?: Refusals | undefined;
  /** Gets a line for wrong passwords. */
  readonly log: RefusalLog;
}

export type PasswordVerification =
  /** `stored` is the hash that matched, `attempts` the name under which its attempts count. */
  { kind: "right"; stored: string; attempts: string } | { kind: "wrong" } | Postponed;

/** Not checked now: this client has guessed too often, or too many passwords wait. */
export type Postponed = { kind: "wait"; seconds: number } | { kind: "busy"; seconds: number };

export type PasswordProblem = { kind: "short-password"; least: number } | { kind: "long-password"; most: number };

/**
 * Checks and hashes passwords, a few at a time. Guesses are slowed down per account and client, never for an account as
 * a whole: the right password works during an attack. A browser that has opened the account before has its own attempts
 * and its own share of the queue.
 */
export class PasswordChecks {
  readonly #deps: PasswordCheckDeps;
  readonly #attempts: Attempts;
  readonly #devices: KnownDevices;
  readonly #tries: TokenBuckets;
  readonly #checks: Turns;
  readonly #refusals: Refusals;

  constructor(deps: PasswordCheckDeps) {
    const { rows, clock, limits, refusals = new Refusals() } = deps;
    this.#deps = deps;
    this.#attempts = new Attempts(rows, clock);
    this.#devices = new KnownDevices(rows, clock);
    this.#tries = new TokenBuckets(limits.triesBurst, limits.triesPerSecond);
    this.#checks = new Turns({
      atOnce: limits.checksAtOnce,
      waiting: limits.checksWaiting,
      reservedForUrgent: limits.checksReserved,
    });
    this.#refusals = refusals;
  }

  async verify(email: string, password: string, from: Applicant): Promise<PasswordVerification> {
    const { limits, clock, log } = this.#deps;
    const device = await this.#devices.find(email, from.device);
    const source = sourceOf(from.address);
    const name = device === undefined ? `${source} ${email}` : `device ${device}`;
    const seconds =
      (await this.#attempts.waitFor(name)) || (device === undefined ? this.#tries.take(source, clock.elapsed()) : 0);
    if (seconds > 0) return this.#wait(seconds);
    const typed = password.slice(0, limits.longestPassword + 1);
    const checked = await this.#checks.run(() => this.#check(name, email, typed), device !== undefined);
    if (checked.kind === "refused") return this.#busy();
    const { value } = checked;
    if (value.kind === "wait") return this.#wait(value.seconds);
    if (value.kind === "right") return { ...value, attempts: name };
    await log.add({ who: value.isKnown ? email : undefined, why: "wrong password" });
    return { kind: "wrong" };
  }

  /** The attempts of this name begin again. */
  succeeded(attempts: string): Promise<void> {
    return this.#attempts.succeeded(attempts);
  }

  /** Returns what is wrong with a new password. */
  problemOf(password: string): PasswordProblem | undefined {
    const { shortestPassword: least, longestPassword: most } = this.#deps.limits;
    if (password.length < least) return { kind: "short-password", least };
    return password.length > most ? { kind: "long-password", most } : undefined;
  }

  async hash(password: string): Promise<{ kind: "hashed"; hash: string } | Postponed> {
    const hashed = await this.#checks.run(() => hashPassword(password, this.#deps.limits.passwordCost), true);
    return hashed.kind === "refused" ? this.#busy() : { kind: "hashed", hash: hashed.value };
  }

  /** An attempt counts before its password is checked. */
  async #check(name: string, email: string, typed: string): Promise<Check> {
    const { rows, limits } = this.#deps;
    const seconds = await this.#attempts.begin(name);
    if (seconds > 0) return { kind: "wait", seconds };
    const row = await rows.one<{ password: string }>("SELECT password FROM holdfast.account WHERE email = $1", email);
    // An unknown address takes as long as a known one, so that the response time does not reveal who has an account.
    const isRight = await isPassword(typed, row?.password ?? unmatchedHash, limits.passwordCost);
    return row && isRight ? { kind: "right", stored: row.password } : { kind: "wrong", isKnown: row !== undefined };
  }

  #wait(seconds: number): Postponed {
    this.#refusals.add("sign-ins");
    return { kind: "wait", seconds };
  }

  #busy(): Postponed {
    this.#refusals.add("password-checks");
    return { kind: "busy", seconds: busySeconds };
  }
}

type Check =
  | { kind: "wait"; seconds: number }
  | { kind: "wrong"; isKnown: boolean }
  | { kind: "right"; stored: string };

/** By then the queue has room again: a check takes 0.2 s. */
const busySeconds = 5;

/** A hash that no password has. */
const unmatchedHash = `${"A".repeat(22)}.${"A".repeat(43)}`;
