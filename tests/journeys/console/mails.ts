import type { AlertMessage } from "../../../src/service/alerts/messages/alert-message.ts";
import { plainMessage } from "../../../src/service/alerts/messages/plain-message.ts";

const at = Date.UTC(2026, 10, 16, 15, 31);
const project = { id: 1, name: "Shop" };
const base = "https://shop.example/_holdfast/1";

const newIssue: AlertMessage = {
  ...plainMessage(project, at),
  id: "1/301",
  reason: "New issue",
  title: "TypeError: Cannot read properties of undefined (reading 'lines')",
  level: "error",
  source: {
    file: "src/server/address.ts:53",
    lines: [
      "export async function loadAddress(id: string): Promise<Address> {",
      '  const found = await database.find("address", id);',
      "  // The warehouse answers with null for what was archived.",
      "  return found.lines.map((line) => [line.street, line.number, line.postcode, line.city].join(' '));",
      "}",
      "",
      "export async function loadCountries(): Promise<Country[]> {",
    ].map((text, n) => ({ number: 50 + n, text, isFailing: n === 3 })),
  },
  route: "/checkout/[step]",
  release: "shop@2.4.1",
  environment: "production",
  events: 14,
  visitors: 9,
  digest: "S2FD-577K-MWRS",
  link: `${base}/issues/301`,
  about: "holdfast-1-issue-301",
};

const item = (label: string, text: string, note: string, issue: number) => ({
  label,
  text,
  note,
  link: `${base}/issues/${issue}`,
});

/** Messages as people get them, for pictures. */
export const mails: Readonly<Record<string, AlertMessage>> = {
  "mail-new-issue": newIssue,
  "mail-regression": {
    ...newIssue,
    reason: "Happens again, in shop@2.4.2",
    title:
      "DatabaseError: canceling statement due to lock timeout while updating tuple (4,17) in relation public.stock_of_warehouse_reservations",
    source: undefined,
    release: "shop@2.4.2",
    events: 1_412,
    visitors: 803,
  },
  "mail-summary": {
    ...plainMessage(project, at),
    id: "summary-mail 1/1",
    reason: "Last day",
    title: "4 new issues, 1 came back, 3,457 errors, 99.2 % of sessions without a crash",
    level: "info",
    link: base,
    about: "holdfast-1-summary-mail",
    items: [
      item(
        "Happens again",
        "TimeoutError: Address 4417 did not answer within 10 s",
        "1,412 events · 803 visitors · /checkout",
        12,
      ),
      item(
        "New",
        "TypeError: Cannot read properties of undefined (reading 'lines')",
        "14 events · 9 visitors · /checkout/[step]",
        301,
      ),
      item("New", "RangeError: Invalid time value", "6 events · 5 visitors · /orders/[id]", 302),
      item("New", "MissedRun: nightly-report did not start at 03:00", "1 event", 303),
      item("New", "URIError: URI malformed", "1 event · 1 visitor · /search", 304),
    ],
    itemsInAll: 5,
  },
  "mail-test": {
    ...plainMessage(project, at),
    id: "test",
    reason: "Test",
    title: "Alerts of this project arrive here",
    level: "info",
    link: `${base}/alerts`,
    about: "test",
  },
};
