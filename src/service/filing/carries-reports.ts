import { type AttributeMap, textAttribute } from "#protocol";

/**
 * Addresses that receive reports: those of this service, of similar ones, and the tunnel of an application. A server
 * that hosts the service and is traced by a foreign client would report each of its own reports, without end.
 */
const reportAddress =
  /\/api\/(?:\d+|\*|:\w+|\[\w+\])\/(?:envelope|store|security|minidump|(?:integration\/)?otlp\/v1\/(?:traces|logs))\/?(?:\?|$)|\/_holdfast\/post(?:\?|$)/;

/** Whether a span covers only the sending or the receipt of a report. */
export function carriesReports(span: { name: string; attributes: AttributeMap }): boolean {
  return reportAddress.test(span.name) || addressNames.some((name) => isReportAddress(span.attributes, name));
}

/** A superset of `reportAddress` for JSON text. Some clients write a slash as `\/`. */
const inJson = /\/api\/[^/"]+\/(?:envelope|store|security|minidump|integration|otlp)|\/_holdfast\/post|\\\//;

/** Whether a transaction may contain such a span, decided without parsing its spans. */
export function mayCarryReports(json: string): boolean {
  return inJson.test(json);
}

const addressNames = ["http.route", "url.path", "url.full", "http.url", "http.target", "url"];

function isReportAddress(attributes: AttributeMap, name: string): boolean {
  const address = textAttribute(attributes, name);
  return address !== undefined && reportAddress.test(address);
}
