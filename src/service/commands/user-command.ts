import { Accounts, normalEmail } from "../accounts/accounts.ts";
import { systemClock } from "../clock.ts";
import { isRole } from "../desk/people.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage =
  "holdfast user list | invite EMAIL [--role viewer|member|owner] [--project N] | remove EMAIL [--origin https://shop.example] [--data FOLDER]";

/** Accounts of the console from the terminal: for the first one, and for who is locked out. */
export const userCommand: ServiceCommand = {
  says: "lists, invites and removes people of the console",
  async run(args, print = printLine) {
    const known = { data: "text", origin: "text", role: "text", project: "text" } as const;
    const { options, rest } = readArguments(args, known, usage);
    const [what = "list", typed = ""] = rest;
    const accounts = new Accounts(dataFolderOf(options), systemClock);
    try {
      if (what === "list") {
        for (const { email, roles } of accounts.all) print(`${email}  ${JSON.stringify(roles)}`);
        return 0;
      }
      const email = normalEmail(typed);
      if (email === undefined) throw wrongUse(`"${typed}" is no e-mail address.`, usage);
      if (what === "remove") {
        print(accounts.remove(email) ? `${email} can no longer sign in.` : `${email} has no account.`);
        return 0;
      }
      if (what !== "invite") throw wrongUse(`There is no "holdfast user ${what}".`, usage);
      const role = options.role ?? "owner";
      if (!isRole(role)) throw wrongUse(`--role must be viewer, member or owner, got "${role}".`, usage);
      const project = options.project === undefined ? undefined : Number(options.project);
      if (project !== undefined && !Number.isSafeInteger(project)) throw wrongUse("--project must be a number.", usage);
      const origin = typeof options.origin === "string" ? options.origin : "http://localhost:3000";
      const secret = accounts.invite(project === undefined ? role : { [project]: role }, email);
      print(`${origin}/_holdfast/welcome/${secret}`);
      return 0;
    } finally {
      accounts.close();
    }
  },
};
