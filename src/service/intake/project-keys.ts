import { isObject } from "#protocol";

/** A key with which clients of a project send reports. It is in their DSN, so it is no secret. */
export interface ProjectKey {
  /** 32 hexadecimal characters. */
  readonly publicKey: string;
  readonly name: string;
  readonly createdAt: number;
  /** A disabled key is refused, and can be enabled again. */
  readonly isDisabled?: boolean;
  /** Items of each category in a minute. Undefined for no limit of its own. */
  readonly perMinute?: number;
  /** Origins of pages that may send. Empty or undefined for all. */
  readonly origins?: readonly string[];
}

/** What a project says about its keys. */
export interface KeyHolder {
  /** The main key: the one in the DSN that commands and the console show first. It is never disabled. */
  readonly publicKey: string;
  readonly keys?: readonly ProjectKey[];
}

export interface KeyLimits {
  /** A key per client and environment. More are a sign that old ones are never removed. */
  readonly perProject: number;
  readonly nameLength: number;
  /** Origins of one key: each is compared with those of a request. */
  readonly origins: number;
  /** A host name has at most 253 characters. */
  readonly originLength: number;
  /** A bound above this is the service's own: 1,000 items in a second. */
  readonly perMinute: number;
}

export const keyLimits: KeyLimits = {
  perProject: 50,
  nameLength: 80,
  origins: 20,
  originLength: 280,
  perMinute: 60_000,
};

/** The keys of a project, the main key first. A project of an older version has only that one. */
export function keysOf({ publicKey, keys = [] }: KeyHolder): readonly ProjectKey[] {
  const main = keys.find((key) => key.publicKey === publicKey) ?? { publicKey, name: "Main", createdAt: 0 };
  return [main, ...keys.filter((key) => key.publicKey !== publicKey)];
}

export function isProjectKey(value: unknown): value is ProjectKey {
  if (!isObject(value)) return false;
  const { publicKey, name, createdAt, isDisabled = false, perMinute = 1, origins = [] } = value;
  return (
    typeof publicKey === "string" &&
    typeof name === "string" &&
    typeof createdAt === "number" &&
    typeof isDisabled === "boolean" &&
    typeof perMinute === "number" &&
    Array.isArray(origins) &&
    origins.every((origin) => typeof origin === "string")
  );
}

/** Returns what is wrong with a limit that a person typed in. */
export function problemOfPerMinute(perMinute: number | undefined): string | undefined {
  if (perMinute === undefined) return undefined;
  return Number.isSafeInteger(perMinute) && perMinute >= 1 && perMinute <= keyLimits.perMinute
    ? undefined
    : "A whole number from 1 to 60,000, or nothing.";
}
