import { basename } from "node:path";
import { normalEmail } from "../accounts/email.ts";
import { isRole } from "../accounts/people.ts";
import { consolePath } from "../console-path.ts";
import { lastAddressOf } from "../last-address.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { dataFolderOf, dataOption, type Options, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage =
  "user list | invite EMAIL [--role viewer|member|owner] [--project N] [--origin URL] | remove EMAIL |" +
  " reset-second-factor EMAIL [--data FOLDER]";

/** Default addresses of an application and of a standalone service. */
const usualAddress = { application: "http://localhost:3000", service: "http://localhost:4600" };

/** Manages accounts of the console from the terminal: for the first one, and for people who are locked out. */
export const userCommand: ServiceCommand = {
  usage,
  options: {
    "--role ROLE": "what an invited person may do: viewer, member or owner; owner",
    "--project N": "only in this project",
    "--origin URL": "where people reach the console; where it was last started",
    ...dataOption,
  },
  description: "lists, invites and removes people of the console, and takes lost second factors away",
  async run(args, { print, warn }) {
    const known = { data: "text", origin: "text", role: "text", project: "text" } as const;
    const { options, rest } = readArguments(args, known, usage);
    const [what = "list", typed = ""] = rest;
    const folder = dataFolderOf(options);
    const shared = await openSharedState(folder);
    try {
      await shared.ready();
      const accounts = shared.openAccounts();
      if (what === "list") {
        for (const { email, roles } of await accounts.all()) print(`${email}  ${JSON.stringify(roles)}`);
        return 0;
      }
      const email = normalEmail(typed);
      if (email === undefined) throw wrongUse(`"${typed}" is no e-mail address.`, usage);
      if (what === "remove") {
        print((await accounts.remove(email)) ? `${email} can no longer sign in.` : `${email} has no account.`);
        return 0;
      }
      if (what === "reset-second-factor") {
        const isReset = await accounts.secondFactor.reset(email);
        const entry = { at: Date.now(), by: "The command line", what: `took the second factor of ${email} away` };
        if (isReset) await shared.audit.add(entry);
        print(isReset ? `${email} has no second factor any more.` : `${email} has no second factor.`);
        return 0;
      }
      if (what !== "invite") throw wrongUse(`There is no "holdfast user ${what}".`, usage);
      const role = options.role ?? "owner";
      if (!isRole(role)) throw wrongUse(`--role must be viewer, member or owner, got "${role}".`, usage);
      const project = options.project === undefined ? undefined : Number(options.project);
      if (project !== undefined && !Number.isSafeInteger(project)) throw wrongUse("--project must be a number.", usage);
      const origin = originOf(options, folder, warn);
      const secret = await accounts.invites.create(project === undefined ? role : { [project]: role }, email);
      print(`${origin}${consolePath}/welcome/${secret}`);
      return 0;
    } finally {
      await shared.close();
    }
  },
};

function originOf(options: Options, folder: string, warn: (text: string) => void): string {
  if (typeof options.origin === "string") {
    if (!URL.canParse(options.origin)) throw wrongUse(`"${options.origin}" is no address.`, usage);
    return new URL(options.origin).origin;
  }
  const address = lastAddressOf(folder);
  if (address !== undefined) return new URL(address).origin;
  const usual = basename(folder) === "data" ? usualAddress.application : usualAddress.service;
  warn(
    `Nothing has been started with ${folder} yet, so that its address is not known; --origin names another than ${usual}.`,
  );
  return usual;
}
