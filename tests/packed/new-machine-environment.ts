import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { authorsEnvironment } from "../kit/authors-environment.ts";

export interface Packed {
  file: string;
  size: number;
  files: { path: string }[];
}

/** A machine with only Node, npm and the packed files. */
export interface NewMachine {
  folder: string;
  /** The installed starter. Tests change copies of it. */
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
 * Environment of a new user: the Node of these tests first, a separate home and npm cache, and the npm settings of this
 * machine.
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
    // It may be the only file that names a registry or a certificate authority.
    npm_config_userconfig: environment.npm_config_userconfig ?? join(homedir(), ".npmrc"),
    NO_COLOR: "1",
  };
}
