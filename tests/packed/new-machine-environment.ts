import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { authorsEnvironment } from "../kit/authors-environment.ts";

export interface Packed {
  file: string;
  size: number;
  files: { path: string }[];
}

/** A machine that has Node, npm and the packed files, and nothing else of this one. */
export interface NewMachine {
  folder: string;
  /** The starter, installed. Tests change copies of it. */
  app: string;
  framework: Packed;
  starter: Packed;
}

declare module "vitest" {
  interface ProvidedContext {
    newMachine: NewMachine;
  }
}

/**
 * A new user's environment: with the Node of these tests first, a home and an npm cache of its own, and the settings of
 * the machine's npm.
 */
export function environmentOn({ folder }: Pick<NewMachine, "folder">): NodeJS.ProcessEnv {
  const environment = authorsEnvironment();
  for (const name of Object.keys(environment)) if (/^npm_config_cache$/i.test(name)) delete environment[name];
  const home = join(folder, "home");
  return {
    ...environment,
    PATH: [dirname(process.execPath), environment.PATH].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    npm_config_cache: join(home, ".npm"),
    // A registry or a certificate authority may be named there alone.
    npm_config_userconfig: environment.npm_config_userconfig ?? join(homedir(), ".npmrc"),
    NO_COLOR: "1",
  };
}
