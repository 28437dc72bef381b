/**
 * The protocol exactly as its specification defines it (develop.sentry.dev: envelopes, envelope items, event payloads),
 * without leniency. Written for tests and separately from our own reader, so that a mistake is not made twice.
 */
export interface StrictItem {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a client sends; tests look into it with matchers.
  value: any;
  /** The envelope's first line. */
  header: Fields;
}

type Fields = Record<string, unknown>;

const lineEnd = 0x0a;

/** Reads the items of an envelope. Throws at the first violation of the protocol. */
export function readStrictly(bytes: Buffer): StrictItem[] {
  const first = lineAt(bytes, 0);
  const header = fieldsOf(parsed(first.text, "the envelope's header"), "the envelope's header");
  if (header.event_id !== undefined) demand(isId(header.event_id), `event_id ${header.event_id} is no id`);
  if (header.sent_at !== undefined) demand(isIsoTime(header.sent_at), `sent_at ${header.sent_at} is no time`);
  if (header.trace !== undefined) checkTraceHeader(fieldsOf(header.trace, "the trace header"));
  const items: StrictItem[] = [];
  for (let at = first.next; at < bytes.length; ) {
    const line = lineAt(bytes, at);
    const itemHeader = fieldsOf(parsed(line.text, "an item's header"), "an item's header");
    const payload = payloadAt(bytes, line.next, itemHeader.length);
    items.push(readItem(itemHeader, payload.bytes, header));
    at = payload.next;
  }
  const alone = items.filter(({ type }) => ["event", "transaction", "feedback"].includes(type));
  demand(alone.length <= 1, "events, transactions and notes exclude each other in one envelope");
  return items;
}

function lineAt(bytes: Buffer, at: number): { text: string; next: number } {
  const end = bytes.indexOf(lineEnd, at);
  return { text: bytes.subarray(at, end < 0 ? bytes.length : end).toString(), next: end < 0 ? bytes.length : end + 1 };
}

/** As many bytes as the header declares, then a line end or nothing; without a length, to the end of the line. */
function payloadAt(bytes: Buffer, at: number, length: unknown): { bytes: Buffer; next: number } {
  if (length === undefined) {
    const end = bytes.indexOf(lineEnd, at);
    return end < 0
      ? { bytes: bytes.subarray(at), next: bytes.length }
      : { bytes: bytes.subarray(at, end), next: end + 1 };
  }
  demand(Number.isInteger(length) && Number(length) >= 0, `an item's length is ${length}`);
  const end = at + Number(length);
  demand(end <= bytes.length, `an item says ${length} bytes and has ${bytes.length - at}`);
  demand(end === bytes.length || bytes[end] === lineEnd, "an item is not followed by the end of its line");
  return { bytes: bytes.subarray(at, end), next: end + 1 };
}

function readItem(itemHeader: Fields, payload: Buffer, header: Fields): StrictItem {
  const type = textOf(itemHeader.type, "an item's type");
  if (type === "attachment" || type === "replay_recording") return { type, value: payload, header };
  const value = fieldsOf(parsed(payload.toString(), `the ${type}`), `the ${type}`);
  const check = checks[type];
  if (check) check(value, header, itemHeader);
  return { type, value, header };
}

const checks: Readonly<Record<string, (value: Fields, header: Fields, itemHeader: Fields) => void>> = {
  event: (event, header) => {
    checkCommon(event, header);
    demand(
      ["fatal", "error", "warning", "info", "debug", "log"].includes(String(event.level ?? "error")),
      `level ${event.level}`,
    );
    demand(
      event.exception !== undefined || event.message !== undefined || event.logentry !== undefined,
      "an event says neither what was thrown nor anything else",
    );
    for (const exception of listAt(event.exception, "values")) checkException(fieldsOf(exception, "an exception"));
    if (Array.isArray(event.breadcrumbs))
      for (const step of event.breadcrumbs) demand(isTime(fieldsOf(step, "a step").timestamp), "a step has no time");
  },
  transaction: (transaction, header) => {
    checkCommon(transaction, header);
    demand(transaction.type === "transaction", `a transaction's type is ${transaction.type}`);
    textOf(transaction.transaction, "a transaction's name");
    checkTimes(transaction, "a transaction");
    const trace = fieldsOf(fieldsOf(transaction.contexts, "contexts").trace, "a transaction's trace");
    textOf(trace.op, "a transaction's op");
    for (const one of listAt(transaction, "spans")) {
      const span = fieldsOf(one, "a span");
      demand(isHex(span.span_id, 16), `span_id ${span.span_id}`);
      demand(isHex(span.parent_span_id, 16), `parent_span_id ${span.parent_span_id}`);
      demand(span.trace_id === trace.trace_id, "a span belongs to another trace");
      checkTimes(span, "a span");
    }
  },
  session: (session) => {
    demand(isId(session.sid), `sid ${session.sid}`);
    demand(isIsoTime(session.started) || isTime(session.started), `started ${session.started}`);
    demand(
      ["ok", "exited", "crashed", "abnormal", "errored", "unhandled"].includes(String(session.status)),
      `status ${session.status}`,
    );
    textOf(fieldsOf(session.attrs, "a session's attrs").release, "a session's release");
  },
  client_report: (report) => {
    for (const one of listAt(report, "discarded_events")) {
      const { reason, category, quantity } = fieldsOf(one, "a loss");
      textOf(reason, "a loss's reason");
      textOf(category, "a loss's category");
      demand(Number.isInteger(quantity) && Number(quantity) > 0, `a loss of ${quantity}`);
    }
  },
  log: (container, _header, itemHeader) => {
    const items = checkContainer(container, itemHeader, "application/vnd.sentry.items.log+json");
    for (const one of items) {
      const line = fieldsOf(one, "a line of log");
      demand(isTime(line.timestamp), `a line's timestamp is ${line.timestamp}`);
      demand(
        ["trace", "debug", "info", "warn", "error", "fatal"].includes(String(line.level)),
        `a line's level is ${line.level}`,
      );
      textOf(line.body, "a line's body");
      for (const [name, attribute] of Object.entries(fieldsOf(line.attributes ?? {}, "attributes")))
        demand(
          "value" in fieldsOf(attribute, name) && "type" in fieldsOf(attribute, name),
          `attribute ${name} has no type`,
        );
    }
  },
  span: (container, _header, itemHeader) => {
    checkContainer(container, itemHeader, "application/vnd.sentry.items.span.v2+json");
  },
  feedback: (feedback, header) => {
    demand(isId(feedback.event_id) && feedback.event_id === header.event_id, "a note has another id than its envelope");
    const { feedback: said } = fieldsOf(feedback.contexts, "contexts");
    textOf(fieldsOf(said, "a note").message, "a note's message");
  },
};

function checkCommon(event: Fields, header: Fields): void {
  demand(isId(event.event_id), `event_id ${event.event_id}`);
  demand(String(header.event_id).replaceAll("-", "") === event.event_id, "an event has another id than its envelope");
  demand(isTime(event.timestamp), `timestamp ${event.timestamp}`);
  textOf(event.platform, "platform");
  for (const [name, tag] of Object.entries(fieldsOf(event.tags ?? {}, "tags")))
    demand(["string", "number", "boolean"].includes(typeof tag), `tag ${name} is ${typeof tag}`);
  for (const [name, context] of Object.entries(fieldsOf(event.contexts ?? {}, "contexts"))) fieldsOf(context, name);
  const { trace } = fieldsOf(event.contexts ?? {}, "contexts");
  if (trace === undefined) return;
  const { trace_id, span_id } = fieldsOf(trace, "trace");
  demand(isHex(trace_id, 32), `trace_id ${trace_id}`);
  demand(isHex(span_id, 16), `span_id ${span_id}`);
}

function checkException(exception: Fields): void {
  demand(
    typeof exception.type === "string" || typeof exception.value === "string",
    "an exception has neither type nor value",
  );
  if (exception.mechanism !== undefined) textOf(fieldsOf(exception.mechanism, "mechanism").type, "a mechanism's type");
  if (exception.stacktrace === undefined) return;
  const frames = listAt(exception.stacktrace, "frames");
  demand(frames.length > 0, "a stack has no frames");
  for (const one of frames) {
    const frame = fieldsOf(one, "a frame");
    demand(
      typeof frame.filename === "string" || typeof frame.function === "string",
      "a frame names neither file nor function",
    );
    for (const at of [frame.lineno, frame.colno])
      demand(at === undefined || Number.isInteger(at), `a frame's place is ${at}`);
    demand(frame.in_app === undefined || typeof frame.in_app === "boolean", `in_app is ${frame.in_app}`);
  }
}

function checkContainer(container: Fields, itemHeader: Fields, contentType: string): unknown[] {
  const items = listAt(container, "items");
  demand(itemHeader.content_type === contentType, `a container's content type is ${itemHeader.content_type}`);
  demand(
    itemHeader.item_count === items.length,
    `a container says ${itemHeader.item_count} items and has ${items.length}`,
  );
  return items;
}

function checkTraceHeader(trace: Fields): void {
  demand(isHex(trace.trace_id, 32), `the trace header's trace_id is ${trace.trace_id}`);
  for (const [name, value] of Object.entries(trace))
    demand(typeof value === "string", `the trace header's ${name} is no text`);
}

function checkTimes({ start_timestamp, timestamp }: Fields, what: string): void {
  demand(isTime(start_timestamp) && isTime(timestamp), `${what} runs from ${start_timestamp} to ${timestamp}`);
  demand(secondsOf(start_timestamp) <= secondsOf(timestamp), `${what} ends before it begins`);
}

function demand(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(`The protocol is broken: ${sentence}.`);
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The protocol is broken: ${what} is no JSON: ${text.slice(0, 100)}`);
  }
}

function fieldsOf(value: unknown, what: string): Fields {
  demand(typeof value === "object" && value !== null && !Array.isArray(value), `${what} is no object`);
  return value as Fields;
}

function listAt(value: unknown, key: string): unknown[] {
  const list = value === undefined ? [] : (fieldsOf(value, key)[key] ?? []);
  demand(Array.isArray(list), `${key} is no list`);
  return list;
}

function textOf(value: unknown, what: string): string {
  demand(typeof value === "string" && value !== "", `${what} is missing`);
  return value;
}

function isHex(value: unknown, digits: number): boolean {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]+$/.test(value) && !/^0+$/.test(value);
}

function isId(value: unknown): boolean {
  return typeof value === "string" && isHex(value.replaceAll("-", ""), 32);
}

/** Seconds since 1970, after 2020 and before 2100, so that milliseconds are refused. */
function isTime(value: unknown): boolean {
  const seconds = secondsOf(value);
  return seconds > 1_577_836_800 && seconds < 4_102_444_800;
}

/** Both time formats of the protocol: seconds since 1970, or a date with its zone. */
function secondsOf(value: unknown): number {
  if (typeof value === "number") return value;
  return isIsoTime(value) ? Date.parse(String(value)) / 1_000 : Number.NaN;
}

function isIsoTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}
