import { backupCommand } from "./backup-command.ts";
import type { ServiceCommand } from "./command.ts";
import { dsnCommand } from "./dsn-command.ts";
import { eventCommand } from "./event-command.ts";
import { issuesCommand } from "./issues-command.ts";
import { moveCommand } from "./move-command.ts";
import { restoreCommand } from "./restore-command.ts";
import { userCommand } from "./user-command.ts";

/** Subcommands of a service by name. `holdfast service` itself is not among them, because it needs the console. */
export const serviceCommands: Readonly<
  Record<"dsn" | "event" | "issues" | "user" | "backup" | "restore" | "move", ServiceCommand>
> = {
  dsn: dsnCommand,
  event: eventCommand,
  issues: issuesCommand,
  user: userCommand,
  backup: backupCommand,
  restore: restoreCommand,
  move: moveCommand,
};
