import { invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

export async function changeTicketTemplate(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const template = textIn(form, "template", 1_001);
  const problem = await consoleApi().tickets.changeTemplate(scope.project.id, template, scope.person.name);
  if (problem !== undefined) invalid({ template: problem });
  return { said: template === "" ? "Issues have no button for tickets now." : "Kept. Issues have a button for it." };
}

/** Keeps the address of a ticket, or forgets it. */
export async function changeTicket(scope: Scope, number: number, form: FormData): Promise<Said> {
  needs(scope, "member");
  const { tickets } = consoleApi();
  const address = textIn(form, "do") === "forget" ? undefined : textIn(form, "ticket", 1_001);
  const problem = await tickets.keep(scope.project.id, number, address, scope.person.name);
  if (problem !== undefined) invalid({ ticket: problem });
  return { said: address === undefined ? "The ticket is forgotten here." : "Kept." };
}
