import type { Administration } from "../administration/administration.ts";
import { problemOfOrigins } from "../intake/allowed-origins.ts";
import type { KeyFigures } from "../intake/figures.ts";
import type { IntakeFigures } from "../intake/intake-figures.ts";
import { keyLimits, keysOf, type ProjectKey, problemOfPerMinute } from "../intake/project-keys.ts";
import { newProjectKey, type Project, type Projects } from "../projects.ts";

/** A key as the console and the API show it. */
export interface ShownKey extends KeyFigures {
  readonly publicKey: string;
  readonly name: string;
  /** Undefined for the key that the project began with. */
  readonly createdAt: number | undefined;
  /** The DSN of commands and of the console has the main key. */
  readonly isMain: boolean;
  readonly isDisabled: boolean;
  readonly perMinute: number | undefined;
  readonly origins: readonly string[];
}

/** What an owner decides about a key. */
export interface KeyWish {
  readonly name: string;
  readonly perMinute: number | undefined;
  readonly origins: readonly string[];
}

export type KeyOutcome =
  | { readonly kind: "done"; readonly publicKey: string }
  /** There is no such key any more. */
  | { readonly kind: "unknown" }
  /** By field; an empty name is for the whole. */
  | { readonly kind: "refused"; readonly problems: Readonly<Record<string, string>> };

export type KeyStep = "disable" | "enable" | "remove" | "make-main";

/** The keys of a project, and its limits. Every change is in the audit log. */
export interface KeysApi {
  of(project: number): readonly ShownKey[];
  /** Items of each category in a minute, of all keys together. Undefined for no limit of its own. */
  perMinute(project: number): number | undefined;
  add(project: number, wish: KeyWish, by: string): Promise<KeyOutcome>;
  change(project: number, publicKey: string, wish: KeyWish, by: string): Promise<KeyOutcome>;
  step(project: number, publicKey: string, step: KeyStep, by: string): Promise<KeyOutcome>;
  /** Returns what is wrong with the limit. If nothing is, it holds within a second. */
  changePerMinute(project: number, perMinute: number | undefined, by: string): Promise<string | undefined>;
}

export interface KeysApiDeps {
  readonly projects: Projects;
  readonly figures: IntakeFigures;
  readonly administration: Administration;
  readonly now: () => number;
}

type Keys = readonly ProjectKey[];
type KeyChange = { readonly keys: Keys; readonly publicKey?: string } | { readonly problem: Record<string, string> };

export function openKeysApi({ projects, figures, administration, now }: KeysApiDeps): KeysApi {
  /** Changes one key. The function sees the keys as they are when it is written, and may run again. */
  async function changeKey(
    project: number,
    publicKey: string,
    changeOf: (key: ProjectKey, keys: Keys, project: Project) => KeyChange,
  ): Promise<KeyOutcome & { readonly name?: string }> {
    let outcome: KeyOutcome & { readonly name?: string } = { kind: "unknown" };
    await projects.update(project, (before) => {
      const keys = keysOf(before);
      const key = keys.find((one) => one.publicKey === publicKey);
      outcome = { kind: "unknown" };
      if (key === undefined) return {};
      const change = changeOf(key, keys, before);
      if ("problem" in change) {
        outcome = { kind: "refused", problems: change.problem };
        return {};
      }
      outcome = { kind: "done", publicKey, name: key.name };
      return change;
    });
    return outcome;
  }
  return {
    of: (project) => {
      const known = projects.byId(project);
      if (known === undefined) return [];
      const keys = keysOf(known);
      const used = figures.ofKeys(keys.map(({ publicKey }) => publicKey));
      return keys.map((key, index) => ({
        publicKey: key.publicKey,
        name: key.name,
        createdAt: key.createdAt === 0 ? undefined : key.createdAt,
        isMain: key.publicKey === known.publicKey,
        isDisabled: key.isDisabled === true,
        perMinute: key.perMinute,
        origins: key.origins ?? [],
        lastUsedAt: used[index]?.lastUsedAt,
        refused: used[index]?.refused ?? 0,
      }));
    },
    perMinute: (project) => projects.byId(project)?.perMinute,
    async add(project, wish, by) {
      const problems = problemsOfWish(wish);
      if (Object.keys(problems).length > 0) return { kind: "refused", problems };
      const key: ProjectKey = { publicKey: newProjectKey(), createdAt: now(), ...fieldsOf(wish) };
      let outcome = { kind: "unknown" } as KeyOutcome;
      await projects.update(project, (before) => {
        const keys = keysOf(before);
        const problem = problemBeside(keys, wish.name);
        outcome = problem === undefined ? { kind: "done", publicKey: key.publicKey } : refusedFor(problem);
        return problem === undefined ? { keys: [...keys, key] } : {};
      });
      if (outcome.kind === "done")
        await administration.record({ by, project, what: `made the key ${key.name}${wordsOf(key)}` });
      return outcome;
    },
    async change(project, publicKey, wish, by) {
      const problems = problemsOfWish(wish);
      if (Object.keys(problems).length > 0) return { kind: "refused", problems };
      const outcome = await changeKey(project, publicKey, (key, keys) => {
        const others = keys.filter((one) => one !== key);
        if (others.some(({ name }) => name === wish.name)) return { problem: takenName(wish.name) };
        const { createdAt, isDisabled = false } = key;
        const changed = { publicKey, createdAt, ...(isDisabled && { isDisabled }), ...fieldsOf(wish) };
        return { keys: keys.map((one) => (one === key ? changed : one)) };
      });
      if (outcome.kind === "done")
        await administration.record({ by, project, what: `changed the key ${wish.name}${wordsOf(fieldsOf(wish))}` });
      return outcome;
    },
    async step(project, publicKey, step, by) {
      const outcome = await changeKey(project, publicKey, (key, keys, before) => {
        const isMain = key.publicKey === before.publicKey;
        if (step === "make-main") return key.isDisabled ? { problem: disabledMain } : { keys, publicKey };
        if (isMain && step !== "enable") return { problem: mainStays };
        if (step === "remove") return { keys: keys.filter((one) => one !== key) };
        const { isDisabled: _, ...enabled } = key;
        const changed = step === "disable" ? { ...key, isDisabled: true } : enabled;
        return { keys: keys.map((one) => (one === key ? changed : one)) };
      });
      if (outcome.kind === "done")
        await administration.record({ by, project, what: stepWords[step](outcome.name ?? "") });
      return outcome;
    },
    async changePerMinute(project, perMinute, by) {
      const problem = problemOfPerMinute(perMinute);
      if (problem !== undefined) return problem;
      await projects.setPerMinute(project, perMinute);
      const what = perMinute === undefined ? "ended the limit of the project" : `accepts ${limitWords(perMinute)}`;
      await administration.record({ by, project, what });
      return undefined;
    },
  };
}

const mainStays = { "": "Clients with the main key would be refused. Make another key the main one first." };
const disabledMain = { "": "The main key must be enabled. Enable this one first." };

const stepWords: Readonly<Record<KeyStep, (name: string) => string>> = {
  disable: (name) => `disabled the key ${name}; it is refused`,
  enable: (name) => `enabled the key ${name}`,
  remove: (name) => `removed the key ${name}; it is refused`,
  "make-main": (name) => `made ${name} the main key`,
};

function takenName(name: string): Record<string, string> {
  return { name: `There is a key named ${name} already.` };
}

function refusedFor(problems: Readonly<Record<string, string>>): KeyOutcome {
  return { kind: "refused", problems };
}

function problemBeside(keys: Keys, name: string): Record<string, string> | undefined {
  if (keys.some((key) => key.name === name)) return takenName(name);
  if (keys.length >= keyLimits.perProject)
    return { "": `A project has at most ${keyLimits.perProject} keys. Remove one first.` };
  return undefined;
}

function problemsOfWish({ name, perMinute, origins }: KeyWish): Record<string, string> {
  const ofLimit = problemOfPerMinute(perMinute);
  const ofOrigins = problemOfOrigins(origins);
  return {
    ...(name.trim() === "" && { name: "Give it a name." }),
    ...(name.length > keyLimits.nameLength && { name: `At most ${keyLimits.nameLength} characters.` }),
    ...(ofLimit !== undefined && { perMinute: ofLimit }),
    ...(ofOrigins !== undefined && { origins: ofOrigins }),
  };
}

function fieldsOf({ name, perMinute, origins }: KeyWish): Pick<ProjectKey, "name" | "perMinute" | "origins"> {
  return {
    name: name.trim(),
    ...(perMinute !== undefined && { perMinute }),
    ...(origins.length > 0 && { origins: origins.map((origin) => origin.toLowerCase()) }),
  };
}

function wordsOf({ perMinute, origins = [] }: Pick<ProjectKey, "perMinute" | "origins">): string {
  const limit = perMinute === undefined ? "" : `; ${limitWords(perMinute)}`;
  return `${limit}${origins.length === 0 ? "" : `; pages of ${origins.join(", ")}`}`;
}

function limitWords(perMinute: number): string {
  return `at most ${perMinute} of each kind in a minute`;
}
