import { backupCommand } from "./backup-command.ts";
import type { ServiceCommand } from "./command.ts";
import { dsnCommand } from "./dsn-command.ts";
import { eraseCommand } from "./erase-command.ts";
import { eventCommand } from "./event-command.ts";
import { exportCommand } from "./export-command.ts";
import { importCommand } from "./import-command.ts";
import { issuesCommand } from "./issues-command.ts";
import { loginCommand, logoutCommand } from "./login-command.ts";
import { moveCommand } from "./move-command.ts";
import { resolveCommand } from "./resolve-command.ts";
import { restoreCommand } from "./restore-command.ts";
import { tailCommand } from "./tail-command.ts";
import { tokenCommand } from "./token-command.ts";
import { traceCommand } from "./trace-command.ts";
import { userCommand } from "./user-command.ts";

/** Subcommands of a service by name. `holdfast service` itself is not among them, because it needs the console. */
export const serviceCommands: Readonly<
  Record<
    | "dsn"
    | "event"
    | "issues"
    | "trace"
    | "resolve"
    | "tail"
    | "login"
    | "logout"
    | "user"
    | "token"
    | "backup"
    | "restore"
    | "erase"
    | "move"
    | "export"
    | "import",
    ServiceCommand
  >
> = {
  dsn: dsnCommand,
  event: eventCommand,
  issues: issuesCommand,
  trace: traceCommand,
  resolve: resolveCommand,
  tail: tailCommand,
  login: loginCommand,
  logout: logoutCommand,
  user: userCommand,
  token: tokenCommand,
  backup: backupCommand,
  restore: restoreCommand,
  erase: eraseCommand,
  move: moveCommand,
  export: exportCommand,
  import: importCommand,
};
