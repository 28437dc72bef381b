import { expect, it } from "vitest";
import {
  longestTicketAddress,
  problemOfTicket,
  problemOfTicketTemplate,
  ticketAddress,
  ticketTemplates,
} from "./ticket-link.ts";

const address = "https://errors.example/_holdfast/1/issues/7";

it.each(ticketTemplates.map(({ name, template }) => [name, template]))(
  "a ticket of %s has the title and the Markdown, whatever they contain",
  (_, template) => {
    const title = "TypeError: a & b = {body} #1 \ud83d\ude80 \ud800 end";
    const url = new URL(ticketAddress(template, { title, body: "# Title\n\n`x = {title}`\n", address }) ?? "");
    const values = [...url.searchParams.values()];
    expect(values).toContain(title.toWellFormed());
    expect(values).toContain("# Title\n\n`x = {title}`\n");
  },
);

it("a long body is cut, so that the address stays below 8 kB, and ends with the address of the issue", () => {
  const { template = "" } = ticketTemplates[0] ?? {};
  for (const body of ["x".repeat(50_000), "\u{1f680}".repeat(5_000), "\n".repeat(9_000), "ü€".repeat(3_000)]) {
    const url = ticketAddress(template, { title: "t".repeat(900), body, address }) ?? "";
    expect(url.length).toBeLessThanOrEqual(longestTicketAddress);
    expect(url.length).toBeGreaterThan(longestTicketAddress - 40);
    expect(new URL(url).searchParams.get("body")).toMatch(/… https:\/\/errors\.example\/_holdfast\/1\/issues\/7\n$/);
  }
});

it("templates and tickets that lead elsewhere are refused", () => {
  expect(problemOfTicketTemplate("javascript:alert(1)?{title}")).toContain("https://");
  expect(problemOfTicketTemplate("https://{title}.example/")).toContain("host");
  expect(problemOfTicketTemplate("https://a@b.example/?{title}")).toContain("host");
  expect(problemOfTicketTemplate("https://tickets.example/new")).toContain("{title}");
  expect(problemOfTicket("javascript:alert(1)")).toContain("https://");
  expect(problemOfTicket("tickets.example/7")).toContain("https://");
  expect(problemOfTicket("https://tickets.example/7")).toBeUndefined();
});
