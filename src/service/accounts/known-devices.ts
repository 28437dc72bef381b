import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import { hashOf, newSecret } from "./secrets.ts";

/** A person has a few browsers. The one unused for longest is removed first. */
const devicesPerAccount = 10;

/**
 * Browsers in which a user has signed in before. Such a browser has its own attempts, so that guesses from elsewhere
 * never make it wait. It proves nothing more: without the password it opens nothing.
 */
export class KnownDevices {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, clock: Clock) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS device (
        hash TEXT PRIMARY KEY, email TEXT NOT NULL REFERENCES account ON DELETE CASCADE, used INTEGER NOT NULL) STRICT;
      CREATE INDEX IF NOT EXISTS device_email ON device (email);`);
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns the hash of the device if it has opened this account before. */
  find(email: string, device: string | undefined): string | undefined {
    if (device === undefined) return undefined;
    const hash = hashOf(device);
    return this.#database.prepare("SELECT 1 FROM device WHERE hash = ? AND email = ?").get(hash, email) && hash;
  }

  /** Remembers a browser after a sign-in and returns the secret for it to store: the same as before for a known one. */
  remember(email: string, device: string | undefined): string {
    const known = this.find(email, device) === undefined ? undefined : device;
    const secret = known ?? newSecret();
    this.#database
      .prepare("INSERT INTO device VALUES (?1, ?2, ?3) ON CONFLICT (hash) DO UPDATE SET used = ?3")
      .run(hashOf(secret), email, this.#clock.now());
    this.#database
      .prepare(
        "DELETE FROM device WHERE hash IN (SELECT hash FROM device WHERE email = ? ORDER BY used DESC LIMIT -1 OFFSET ?)",
      )
      .run(email, devicesPerAccount);
    return secret;
  }

  forgetAll(email: string): void {
    this.#database.prepare("DELETE FROM device WHERE email = ?").run(email);
  }
}
