import type { Clock } from "../../clock.ts";
import type { RowQueries } from "../../rows/rows.ts";
import { hashOf, newSecret } from "../secrets.ts";

/** A person has a few browsers. The one unused for longest is removed first. */
const devicesPerAccount = 10;

/**
 * Browsers in which a user has signed in before. Such a browser has its own attempts, so that guesses from elsewhere
 * never make it wait. It proves nothing more: without the password it opens nothing.
 */
export class KnownDevices {
  readonly #rows: RowQueries;
  readonly #clock: Clock;

  constructor(rows: RowQueries, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /** Returns the hash of the device if it has opened this account before. */
  async find(email: string, device: string | undefined): Promise<string | undefined> {
    if (device === undefined) return undefined;
    const hash = hashOf(device);
    const row = await this.#rows.one("SELECT hash FROM holdfast.device WHERE hash = $1 AND email = $2", hash, email);
    return row === undefined ? undefined : hash;
  }

  /** Remembers a browser after a sign-in and returns the secret for it to store: the same as before for a known one. */
  async remember(email: string, device: string | undefined): Promise<string> {
    const known = (await this.find(email, device)) === undefined ? undefined : device;
    const secret = known ?? newSecret();
    await this.#rows.run(
      `INSERT INTO holdfast.device (hash, email, used) VALUES ($1, $2, $3)
       ON CONFLICT (hash) DO UPDATE SET used = excluded.used`,
      hashOf(secret),
      email,
      this.#clock.now(),
    );
    await this.#rows.run(
      `DELETE FROM holdfast.device WHERE hash IN (
         SELECT hash FROM holdfast.device WHERE email = $1 ORDER BY used DESC LIMIT ${devicesPerAccount} OFFSET $2)`,
      email,
      devicesPerAccount,
    );
    return secret;
  }

  /** Except one, if its secret is given. */
  async forgetAll(email: string, except = ""): Promise<void> {
    await this.#rows.run("DELETE FROM holdfast.device WHERE email = $1 AND hash <> $2", email, hashOf(except));
  }
}
