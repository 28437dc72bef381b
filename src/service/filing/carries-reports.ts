import { type AttributeMap, textAttribute } from "#protocol";

/**
 * The addresses to which reports are sent: this service's and every other one's of its kind, and the tunnel of an
 * application. A server that hosts the service and is watched by a foreign client would report the arrival of each of
 * its reports, without end.
 */
const reportAddress =
  /\/api\/(?:\d+|\*|:\w+|\[\w+\])\/(?:envelope|store|security|minidump|(?:integration\/)?otlp\/v1\/(?:traces|logs))\/?(?:\?|$)|\/_holdfast\/post(?:\?|$)/;

/** Whether a span tells of nothing but the sending or the arrival of a report. */
export function carriesReports(span: { name: string; attributes: AttributeMap }): boolean {
  return reportAddress.test(span.name) || addressNames.some((name) => isReportAddress(span.attributes, name));
}

/**
 * Everything that `reportAddress` finds is found in JSON by this, and little else. Some clients write a slash with a
 * stroke before it.
 */
const inJson = /\/api\/[^/"]+\/(?:envelope|store|security|minidump|integration|otlp)|\/_holdfast\/post|\\\//;

/** Whether a transaction may hold such a span, decided without reading its spans. */
export function mayCarryReports(json: Uint8Array): boolean {
  return inJson.test(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("latin1"));
}

const addressNames = ["http.route", "url.path", "url.full", "http.url", "http.target", "url"];

function isReportAddress(attributes: AttributeMap, name: string): boolean {
  const address = textAttribute(attributes, name);
  return address !== undefined && reportAddress.test(address);
}
