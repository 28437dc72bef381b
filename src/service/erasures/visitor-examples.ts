import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { hex } from "../stores/filed-examples.ts";

/** As much of a service as is needed to report to it. */
interface Accepting {
  accept(project: number, envelope: Uint8Array): Promise<unknown>;
}

/** Seconds, as clients write them. */
const now = (): number => Math.floor(Date.now() / 1_000);

/** Everything that only this visitor has. */
export const visitorMarks = {
  id: "ada-visitor-4711",
  email: "ada.lovelace@example.org",
  ip: "203.0.113.77",
  word: "Engelberg-Sonderfall",
  customer: "Kundin-Lovelace-GmbH",
  step: "clicked-Adas-Knopf",
  note: "Meine-Rechnung-fehlt",
  line: "Zeile-ueber-Ada",
  span: "SELECT-Adas-Warenkorb",
  file: "Adas-Bildschirmfoto",
};
export const allVisitorMarks: readonly string[] = Object.values(visitorMarks);

export function reportedEvent(
  name: string,
  message: string,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  const user = { id: name, email: `${name}@example.net`, ip_address: "198.51.100.1" };
  const exception = { values: [{ type: "Error", value: message, stacktrace: { frames: [] } }] };
  return { event_id: newEventId(), timestamp: now(), platform: "javascript", user, exception, ...fields };
}

export function eventEnvelope(event: Record<string, unknown>, ...items: ReturnType<typeof jsonItem>[]): Uint8Array {
  return writeEnvelope({ eventId: String(event.event_id) }, [jsonItem("event", event), ...items]);
}

/** What a visitor leaves: events, a trace, log lines, a file, feedback and a late event of her server. */
export async function leaveTraces(service: Accepting): Promise<string> {
  const trace = { trace_id: hex("her trace"), span_id: "a".repeat(16) };
  const user = { id: visitorMarks.id, email: visitorMarks.email, ip_address: visitorMarks.ip };
  const hers = reportedEvent("", `The cart of ${visitorMarks.word} is empty`, {
    user,
    tags: { customer: visitorMarks.customer },
    contexts: { trace },
    breadcrumbs: [{ timestamp: now(), message: visitorMarks.step }],
  });
  const file = {
    header: { type: "attachment", filename: `${visitorMarks.file}.txt` },
    payload: Buffer.from(visitorMarks.file.repeat(20)),
  };
  await service.accept(1, writeEnvelope({ eventId: String(hers.event_id) }, [jsonItem("event", hers), file]));
  const feedback = { contact_email: visitorMarks.email, message: visitorMarks.note, name: "Ada" };
  await service.accept(
    1,
    writeEnvelope({ eventId: newEventId() }, [
      jsonItem("feedback", { event_id: newEventId(), timestamp: now(), contexts: { feedback } }),
    ]),
  );
  const spans = [
    {
      ...trace,
      span_id: "b".repeat(16),
      parent_span_id: trace.span_id,
      description: visitorMarks.span,
      start_timestamp: now(),
      timestamp: now() + 1,
      op: "db",
    },
  ];
  const transaction = {
    event_id: newEventId(),
    type: "transaction",
    transaction: "/cart",
    start_timestamp: now(),
    timestamp: now() + 1,
    user,
    contexts: { trace: { ...trace, op: "pageload" } },
    spans,
  };
  await service.accept(1, writeEnvelope({ eventId: transaction.event_id }, [jsonItem("transaction", transaction)]));
  const line = (body: string, more: Record<string, unknown> = {}) => ({
    timestamp: now(),
    level: "info",
    body,
    trace_id: hex("other trace"),
    attributes: {},
    ...more,
  });
  const lines = {
    items: [
      line(visitorMarks.line, { trace_id: trace.trace_id }),
      line(`mail to ${visitorMarks.email}`),
      line("a line of nobody"),
    ],
  };
  await service.accept(1, writeEnvelope({}, [jsonItem("log", lines)]));
  return String(hers.event_id);
}
