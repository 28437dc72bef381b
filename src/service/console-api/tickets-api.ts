import type { Administration } from "../administration/administration.ts";
import { problemOfTicket, problemOfTicketTemplate, ticketAddress, ticketTemplates } from "../builds/ticket-link.ts";
import { titleLine } from "../grouping/title.ts";
import type { Projects } from "../projects.ts";
import { eventMarkdown } from "../queries/export-event.ts";
import type { StoreReader } from "../stores/store.ts";
import type { IssueChange } from "../stores/store-requests.ts";

/** Tickets in another tool, which needs to know nothing about this service. Every change is in the audit log. */
export interface TicketsApi {
  /** Template of the addresses that open new tickets. Empty if there is none. */
  template(project: number): string;
  /** Templates of known services. A person replaces what is written in capitals. */
  readonly known: typeof ticketTemplates;
  /** Returns what is wrong with the template. If nothing is, it is saved. An empty one ends the links. */
  changeTemplate(project: number, template: string, by: string): Promise<string | undefined>;
  /**
   * Address that opens a new ticket about an issue, with title and Markdown filled in. Undefined without a template, or
   * for an issue that does not exist. `consoleAddress` is the root of the console.
   */
  newTicket(project: number, number: number, consoleAddress: string): Promise<string | undefined>;
  /** Keeps the address of the ticket on the issue; without one, forgets it. Returns what is wrong with it. */
  keep(project: number, number: number, address: string | undefined, by: string): Promise<string | undefined>;
}

export interface TicketsApiDeps {
  readonly projects: Projects;
  readonly store: () => Promise<StoreReader>;
  readonly administration: Administration;
  readonly now: () => number;
  readonly change: (
    project: number,
    numbers: readonly number[],
    change: Extract<IssueChange, { kind: "ticket" }>,
    by: string,
  ) => Promise<number>;
}

export function openTicketsApi({ projects, store, administration, now, change }: TicketsApiDeps): TicketsApi {
  const template = (project: number): string => projects.byId(project)?.ticketLink ?? "";
  return {
    template,
    known: ticketTemplates,
    async changeTemplate(project, wish, by) {
      const problem = wish === "" ? undefined : problemOfTicketTemplate(wish);
      if (problem !== undefined) return problem;
      await projects.change(project, { ticketLink: wish });
      const what = wish === "" ? "ended links to new tickets" : `opens tickets at ${wish}`;
      await administration.record({ by, project, what });
      return undefined;
    },
    async newTicket(project, number, consoleAddress) {
      const link = template(project);
      if (link === "") return undefined;
      const reader = await store();
      const issue = await reader.issue(project, { number });
      if (issue === undefined) return undefined;
      const address = `${consoleAddress}/${project}/issues/${number}`;
      const markdown = await eventMarkdown({ store: reader, now: now() }, project, issue.lastEventId, consoleAddress);
      const facts = `${address}\n\nA commit with \`Fixes HOLDFAST-${number}\` resolves it in its release.`;
      return ticketAddress(link, {
        title: titleLine(issue.type, issue.title),
        body: `${facts}\n\n${markdown ?? ""}`,
        address,
      });
    },
    async keep(project, number, address, by) {
      const problem = address === undefined ? undefined : problemOfTicket(address);
      if (problem !== undefined) return problem;
      const changed = await change(project, [number], { kind: "ticket", address }, by);
      return changed === 0 ? `There is no issue ${number}.` : undefined;
    },
  };
}
