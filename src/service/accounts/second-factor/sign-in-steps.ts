import type { Clock } from "../../clock.ts";
import type { RowQueries } from "../../rows/rows.ts";
import { hashOf, newSecret } from "../secrets.ts";

/** As long as a person looks for a phone, or sets an app up. */
const stepMs = 600_000;

/** People whose password was right, and whose second factor is still missing. They have no session yet. */
export class SignInSteps {
  readonly #rows: RowQueries;
  readonly #clock: Clock;

  constructor(rows: RowQueries, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Returns a secret for the browser, which finishes the sign-in with it. */
  async begin(email: string): Promise<string> {
    const ticket = newSecret();
    const now = this.#clock.now();
    // One for each account: a new sign-in replaces the one before, so that their number is bounded.
    await this.#rows.run("DELETE FROM holdfast.sign_in_step WHERE ends < $1 OR email = $2", now, email);
    const sql = "INSERT INTO holdfast.sign_in_step (hash, email, ends) VALUES ($1, $2, $3)";
    await this.#rows.run(sql, hashOf(ticket), email, now + stepMs);
    return ticket;
  }

  /** The address of the account. */
  async find(ticket: string): Promise<string | undefined> {
    const sql = "SELECT email FROM holdfast.sign_in_step WHERE hash = $1 AND ends >= $2";
    return (await this.#rows.one<{ email: string }>(sql, hashOf(ticket), this.#clock.now()))?.email;
  }

  /** It works once. */
  async use(ticket: string): Promise<string | undefined> {
    const sql = "DELETE FROM holdfast.sign_in_step WHERE hash = $1 AND ends >= $2 RETURNING email";
    return (await this.#rows.one<{ email: string }>(sql, hashOf(ticket), this.#clock.now()))?.email;
  }

  async endAll(email: string): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.sign_in_step WHERE email = $1", email);
  }
}
