import type { ScryptOptions } from "node:crypto";
import { dayMs } from "../clock.ts";
import { passwordCost } from "./passwords/passwords.ts";

export interface AccountLimits {
  readonly shortestPassword: number;
  /** A longer text is refused: normalising a megabyte of Unicode would block the process. */
  readonly longestPassword: number;
  /** Characters of the name that others see: one line of a list. */
  readonly longestName: number;
  /** A session ends after this long without use, and in any case after the second limit. */
  readonly idleMs: number;
  readonly sessionMs: number;
  readonly inviteMs: number;
  readonly passwordCost: ScryptOptions;
  /**
   * Passwords checked at the same time. Each takes 32 MiB and one of Node's four pool threads for 0.2 s, and files need
   * the others. So five guesses per second are checked, for all clients together.
   */
  readonly checksAtOnce: number;
  /**
   * Checks that wait for their turn: four seconds. Half of the queue is reserved for known browsers and holders of an
   * invite.
   */
  readonly checksWaiting: number;
  readonly checksReserved: number;
  /**
   * Attempts of one client in an unknown browser, for all accounts together: a burst, then this many per second. An
   * office behind one address stays below it.
   */
  readonly triesBurst: number;
  readonly triesPerSecond: number;
}

export const accountLimits: AccountLimits = {
  // NIST SP 800-63B requires 15 if the password is the only factor. Shorter ones are guessed offline within days.
  shortestPassword: 15,
  longestPassword: 1_024,
  longestName: 60,
  idleMs: 14 * dayMs,
  sessionMs: 90 * dayMs,
  inviteMs: 3 * dayMs,
  passwordCost,
  checksAtOnce: 1,
  checksWaiting: 20,
  checksReserved: 10,
  triesBurst: 20,
  triesPerSecond: 0.2,
};
