/** What a template of tickets fills in. */
export interface TicketText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** The issue in the console. */
  readonly address: string;
}

/** Some servers refuse longer addresses: 8 kB with the rest of the request line. */
export const longestTicketAddress = 7_900;
const longestTemplate = 1_000;
const longestTitle = 200;

/** Known services. A person replaces what is written in capitals. */
export const ticketTemplates: readonly { readonly name: string; readonly template: string }[] = [
  { name: "GitHub", template: "https://github.com/OWNER/REPOSITORY/issues/new?title={title}&body={body}" },
  {
    name: "GitLab",
    template: "https://gitlab.com/GROUP/PROJECT/-/issues/new?issue[title]={title}&issue[description]={body}",
  },
  {
    name: "Jira",
    template:
      "https://SITE.atlassian.net/secure/CreateIssueDetails!init.jspa?pid=PROJECT&issuetype=TYPE&summary={title}&description={body}",
  },
  { name: "Linear", template: "https://linear.app/TEAM/new?title={title}&description={body}" },
];

const example: TicketText = { title: "t", body: "b", address: "https://a.example/" };

/** Returns what is wrong with a template. Undefined if it can be used. */
export function problemOfTicketTemplate(template: string): string | undefined {
  if (template.length > longestTemplate) return `At most ${longestTemplate} characters.`;
  if (!/^https?:\/\//.test(template)) return "It must begin with https:// or http://.";
  const host = /^https?:\/\/([^/?#]*)/.exec(template)?.[1] ?? "";
  if (host === "" || /[{}@]/.test(host) || !URL.canParse(filled(template, example)))
    return "The host must be a name, without places to fill in.";
  if (!template.includes("{title}")) return "It needs {title}, and usually {body}.";
  return undefined;
}

/** Returns the address that opens a new ticket. The body is cut, so that servers accept its length. */
export function ticketAddress(template: string, { title, body, address }: TicketText): string | undefined {
  if (problemOfTicketTemplate(template) !== undefined) return undefined;
  const whole = { title: cutAt(title, longestTitle), body, address };
  const fits = (length: number): boolean =>
    filled(template, { ...whole, body: cutBody(body, length, address) }).length <= longestTicketAddress;
  // Characters take from one to twelve bytes, so the length is searched.
  let [least, most] = [0, body.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  const url = filled(template, { ...whole, body: cutBody(body, least, address) });
  return url.length <= longestTicketAddress ? url : undefined;
}

function cutBody(body: string, length: number, address: string): string {
  return length >= body.length ? body : `${cutAt(body, length)}\n\n… ${address}\n`;
}

/** A pair of code units is one character, and half of it cannot be escaped. */
function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

function filled(template: string, text: TicketText): string {
  return template.replace(/\{(title|body|address)\}/g, (_, name: keyof TicketText) =>
    encodeURIComponent(text[name].toWellFormed()),
  );
}

/** Addresses of tickets are shown as links, so only those of the web are kept. */
export function problemOfTicket(address: string): string | undefined {
  if (address.length > 1_000) return "At most 1,000 characters.";
  const isWeb = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  return isWeb ? undefined : "Write the whole address of the ticket, with https://.";
}
