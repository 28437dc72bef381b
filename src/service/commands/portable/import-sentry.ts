import { isObject, type JsonObject } from "#protocol";
import { systemClock } from "../../clock.ts";
import { serviceErrors } from "../../errors.ts";
import { SentryClient } from "../../portable/sentry/sentry-client.ts";
import { readSentryEvent, type SentryEvent } from "../../portable/sentry/sentry-event.ts";
import { linesOfIssue } from "../../portable/sentry/sentry-lines.ts";
import { type CommandOutput, countIn, type Options, wrongUse } from "../command.ts";
import { type ImportTarget, type ImportTotals, LineSender, nothingImported } from "./import-file.ts";
import { ProgressFile } from "./progress-file.ts";

interface SentryImport {
  readonly options: Options;
  readonly target: ImportTarget;
  readonly output: CommandOutput;
  readonly usage: string;
}

/** One page of them is one request, and enough to compare occurrences. */
const usualEvents = 20;
const mostEvents = 1_000;
/** Issues between two notes of the progress: half a minute at the rate that Sentry permits. */
const issuesAtOnce = 25;

interface SentryProgress {
  readonly from: string;
  readonly into: string;
  /** Page that is being read. Issues of it may be done. */
  readonly cursor: string | undefined;
  readonly done: readonly string[];
  readonly taken: readonly string[];
  readonly totals: ImportTotals;
}

/** Imports issues of Sentry page by page. A run after one that was killed goes on where that was. */
export async function importSentry({ options, target, output, usage }: SentryImport): Promise<ImportTotals> {
  const { url, org, project, token } = sourceIn(options, usage);
  const events = countIn(options.events, usualEvents, "--events", usage);
  if (events > mostEvents) throw wrongUse(`--events is at most ${mostEvents}.`, usage);
  const from = `${url} ${org} ${project}`;
  const name = typeof options.progress === "string" ? options.progress : `sentry-${org}-${project}.progress`;
  const file = new ProgressFile<SentryProgress>(name);
  const begun = file.read((one) => one.from === from && one.into === target.name && Array.isArray(one.done));
  const client = new SentryClient({ url, org, project, token, onRepeat: (why) => output.warn(`${why} Waiting.`) });
  const done = new Set(begun?.done);
  const taken = new Set(begun?.taken);
  const sending = new LineSender(target, begun?.totals ?? nothingImported, {}, () => undefined);
  const now = systemClock.now();
  let cursor = begun?.cursor;
  do {
    const page = await client.issues(cursor);
    const due = page.items.filter(({ id }) => !done.has(String(id)));
    for (let first = 0; first < due.length; first += issuesAtOnce) {
      const some = due.slice(first, first + issuesAtOnce);
      for (const issue of some) {
        const read = await readIssue(client, issue, { events, now });
        const { lines, fingerprints } = linesOfIssue(read, { from: url, isTaken: (one) => taken.has(one), now });
        for (const line of lines) await sending.add(line, JSON.stringify(line).length, 0);
        for (const fingerprint of fingerprints) taken.add(fingerprint);
      }
      // Sent before they count as done.
      await sending.flush();
      for (const { id } of some) done.add(String(id));
      file.write({ from, into: target.name, cursor, done: [...done], taken: [...taken], totals: sending.totals });
    }
    output.print(`${done.size} issues so far.`);
    cursor = page.next;
  } while (cursor !== undefined);
  file.remove();
  return sending.totals;
}

function sourceIn(
  options: Options,
  usage: string,
): { readonly url: string; readonly org: string; readonly project: string; readonly token: string } {
  const { from, org, "source-project": project } = options;
  if (typeof from !== "string" || typeof org !== "string" || typeof project !== "string")
    throw wrongUse("Name the server with --from, --org and --source-project.", usage);
  if (!URL.canParse(from) || !/^https?:$/.test(new URL(from).protocol)) throw serviceErrors.noServiceAddress(from);
  const variable = typeof options["token-env"] === "string" ? options["token-env"] : "SENTRY_TOKEN";
  const token = process.env[variable];
  if (token === undefined || token === "") throw serviceErrors.sentryNoToken(variable);
  return { url: new URL(from).origin, org, project, token };
}

async function readIssue(
  client: SentryClient,
  issue: JsonObject,
  { events, now }: { readonly events: number; readonly now: number },
): Promise<Parameters<typeof linesOfIssue>[0]> {
  const id = String(issue.id);
  const found: SentryEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.events(id, cursor, events - found.length);
    found.push(...page.items.flatMap((item) => readSentryEvent(item, now) ?? []));
    cursor = page.items.length === 0 ? undefined : page.next;
  } while (cursor !== undefined && found.length < events);
  const hasComments = Number(issue.numComments) > 0;
  const comments = hasComments ? (await client.comments(id)).items.filter(isObject) : [];
  return { issue, events: found.slice(0, events), comments };
}
