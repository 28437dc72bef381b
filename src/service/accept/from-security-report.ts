import { type Envelope, isObject, type JsonObject, jsonItem, newEventId, type Reading, readJson } from "#protocol";
import type { AcceptLimits } from "./limits.ts";

/** Fields from the report's URL. Browsers do not allow additions to the report itself. */
export interface ReportAddress {
  readonly release: string | undefined;
  readonly environment: string | undefined;
  readonly userAgent: string | undefined;
}

/**
 * Converts content-security-policy reports of browsers to envelopes, one each. Reads both forms: the old single
 * `csp-report`, and the Reporting API's list or single report. Other kinds of reports are counted and dropped.
 */
export function fromSecurityReport(
  body: Buffer,
  address: ReportAddress,
  limits: AcceptLimits,
): Reading<readonly Envelope[]> {
  const { jsonDepth, jsonKeys, itemsPerEnvelope } = limits.protocol;
  const reading = readJson(body, { jsonDepth, jsonKeys });
  if (reading.kind === "unreadable") return reading;
  const reports = reportsOf(reading.value).slice(0, itemsPerEnvelope);
  if (reports.length === 0)
    return { kind: "unreadable", why: "There is no report of a broken content-security policy in the body." };
  return { kind: "read", value: reports.map((report) => envelopeOf(report, address)) };
}

type Report = { kind: "violation"; violation: Violation } | { kind: "other"; type: string };

interface Violation {
  readonly directive: string;
  readonly blocked: string;
  readonly page: string;
  readonly report: JsonObject;
}

function reportsOf(value: unknown): readonly Report[] {
  if (isObject(value) && isObject(value["csp-report"]))
    return [{ kind: "violation", violation: violationOf(value["csp-report"]) }];
  const reports: Report[] = [];
  for (const entry of Array.isArray(value) ? value : [value]) {
    if (!isObject(entry) || typeof entry.type !== "string") continue;
    if (entry.type !== "csp-violation") reports.push({ kind: "other", type: entry.type });
    else if (isObject(entry.body)) reports.push({ kind: "violation", violation: violationOf(entry.body) });
  }
  return reports;
}

function violationOf(report: JsonObject): Violation {
  return {
    directive: firstText(report, "effective-directive", "effectiveDirective", "violated-directive").split(" ")[0] ?? "",
    blocked: firstText(report, "blocked-uri", "blockedURL"),
    page: firstText(report, "document-uri", "documentURL"),
    report,
  };
}

function firstText(report: JsonObject, ...names: readonly string[]): string {
  for (const name of names) {
    const value = report[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

function envelopeOf(report: Report, address: ReportAddress): Envelope {
  return report.kind === "violation"
    ? envelopeFor(report.violation, address)
    : { header: {}, items: [], skipped: [{ type: report.type.slice(0, 100), reason: "unknown-type" }] };
}

function envelopeFor({ directive, blocked, page, report }: Violation, address: ReportAddress): Envelope {
  const eventId = newEventId();
  const source = sourceOf(blocked);
  const event = {
    event_id: eventId,
    level: "warning",
    platform: "javascript",
    logger: "csp",
    release: address.release,
    environment: address.environment,
    logentry: {
      formatted: `Blocked ${directive || "a source"} from ${source}`,
      message: `Blocked ${directive || "a source"} from ${source}`,
    },
    fingerprint: ["csp", directive, source],
    transaction: page === "" ? undefined : pathOf(page),
    request: { url: page, headers: address.userAgent === undefined ? {} : { "User-Agent": address.userAgent } },
    tags: { "csp.directive": directive, "csp.blocked": source },
    contexts: { csp: report },
  };
  return { header: { eventId }, items: [jsonItem("event", event)], skipped: [] };
}

/**
 * Origin of the blocked resource. Its full URL differs for every visitor, where extensions and advertisements load it.
 */
function sourceOf(blocked: string): string {
  if (blocked === "") return "an unnamed source";
  if (!URL.canParse(blocked)) return blocked.slice(0, 200);
  const url = new URL(blocked);
  return url.origin === "null" ? url.protocol : url.origin;
}

function pathOf(page: string): string {
  return URL.canParse(page) ? new URL(page).pathname : page;
}
