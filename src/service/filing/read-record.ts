import { hash } from "node:crypto";
import {
  type Envelope,
  type EnvelopeHeader,
  type EnvelopeItem,
  eventOf,
  isItemType,
  isObject,
  itemKinds,
  type LenientReading,
  type ProtocolLimits,
  present,
  protocolLimits,
  type Reading,
  type ReportedEvent,
  type ReportedFeedback,
  type ReportedSpan,
  type ReportedTransaction,
  type ReportedUser,
  readAttachment,
  readCheckIn,
  readClientReport,
  readEvent,
  readFeedback,
  readLeniently,
  readLogs,
  readMetrics,
  readSession,
  readSessionCounts,
  readSpans,
  readTransaction,
  readTransactionRoot,
  readUserReport,
  type TransactionRoot,
} from "#protocol";
import type { Symbolicate, Symbolicated } from "../builds/symbolicate.ts";
import { markInApp } from "../grouping/in-app.ts";
import type { ProjectScrubRule } from "../intake/scrub-rules.ts";
import { envelopeOf, type JournalRecord } from "../journal/record.ts";
import { type FiledChunk, type FiledItem, type RowKey, rowIdOf, type StoredJson } from "../stores/filed.ts";
import { carriesReports, mayCarryReports } from "./carries-reports.ts";
import { type ClientTime, clientTime, happenedAt } from "./client-time.ts";
import type { Scrubber } from "./scrub.ts";
import { scrubItems } from "./scrub-items.ts";
import { type OwnerByRules, toFiledEvent } from "./to-filed-event.ts";
import { toFiledFeedback } from "./to-filed-feedback.ts";
import { toFiledLogs } from "./to-filed-logs.ts";
import { toFiledMetrics } from "./to-filed-metrics.ts";
import { toFiledSession, toFiledSessionCounts } from "./to-filed-session.ts";
import { spansOfContainer, spansOfTransaction, spansOfUntouched } from "./to-filed-spans.ts";

/** Injected dependencies of filing. */
export interface RecordDeps {
  scrubber: Scrubber;
  /** The project's own rules. */
  scrubRulesOf?: (project: number) => readonly ProjectScrubRule[];
  /** Finds the owners of a project's issues. Undefined for a project without rules. */
  ownersOf?: (project: number) => OwnerByRules | undefined;
  /** Maps frames of built code to their source lines, names and files. */
  symbolicate: Symbolicate;
}

/** Converts an accepted envelope to items for the store. Unreadable parts are counted, never guessed. */
export function readFiledItems(record: JournalRecord, deps: RecordDeps): FiledItem[] {
  const whole = envelopeOf(record);
  const envelope = { ...whole, items: scrubItems(whole.items, deps.scrubRulesOf?.(record.project)) };
  const reading = new RecordReading(record, envelope, deps);
  const isFile = ({ header }: EnvelopeItem): boolean => header.type === "attachment";
  for (const item of envelope.items) if (!isFile(item)) reading.add(item);
  // Last, because a file names the row of its event.
  for (const item of envelope.items) if (isFile(item)) reading.add(item);
  return reading.items;
}

// A larger event is cut to what the readers use.
const mostStoredAsReported = 65_536;

const notNeededForFiling = { breadcrumbs: undefined, request: undefined, extra: undefined, modules: undefined };
const briefLimits: ProtocolLimits = { ...protocolLimits, contextLines: 0, jsonKeys: Number.POSITIVE_INFINITY };

const namedTypes: ReadonlySet<string> = new Set(["event", "transaction", "feedback"]);

class RecordReading {
  readonly items: FiledItem[] = [];
  readonly #record: JournalRecord;
  readonly #header: EnvelopeHeader;
  /**
   * The id in the header is the acknowledged one, and attachments refer to it, not to the payload's. It can only be the
   * id of one event.
   */
  readonly #headerNamesEvent: boolean;
  readonly #deps: RecordDeps;
  readonly #time: ClientTime;
  #rows = 0;

  constructor(record: JournalRecord, { header, items }: Pick<Envelope, "header" | "items">, deps: RecordDeps) {
    this.#record = record;
    this.#header = header;
    this.#headerNamesEvent = items.filter(({ header }) => namedTypes.has(header.type)).length === 1;
    this.#deps = deps;
    this.#time = clientTime(header.sentAtMs, record.receivedMs);
  }

  add({ header, payload }: EnvelopeItem): void {
    const { type } = header;
    switch (type) {
      case "event":
        return this.#event(payload);
      case "transaction":
        return this.#transaction(payload);
      case "span":
        return this.#read(type, readSpans(jsonOf(payload)), (spans) =>
          this.items.push(
            ...spansOfContainer(
              this.#withoutReports(spans).map((span) => this.#deps.scrubber.span(span)),
              () => this.#nextRow(),
              this.#time,
            ),
          ),
        );
      case "session":
        return this.#read(type, readSession(jsonOf(payload)), (session) =>
          this.items.push(toFiledSession(session, this.#nextRow(), this.#time)),
        );
      case "sessions":
        return this.#read(type, readSessionCounts(jsonOf(payload)), (counts) =>
          this.items.push(...counts.map((count) => toFiledSessionCounts(count, this.#nextRow(), this.#time))),
        );
      case "log":
        return this.#read(type, readLogs(jsonOf(payload)), (logs) =>
          this.items.push(...toFiledLogs(logs, () => this.#nextRow(), this.#time, this.#deps.scrubber)),
        );
      case "trace_metric":
        return this.#read(type, readMetrics(jsonOf(payload)), (metrics) =>
          this.items.push(toFiledMetrics(metrics, this.#nextRow(), this.#time, this.#deps.scrubber)),
        );
      case "feedback":
        return this.#namedFeedback(payload);
      case "user_report":
        return this.#read(type, readUserReport(jsonOf(payload)), (feedback) => this.#feedback(feedback));
      case "client_report":
        return this.#read(type, readClientReport(jsonOf(payload)), ({ timestampMs, discarded }) => {
          const at = happenedAt(timestampMs, this.#time);
          this.#discard(
            discarded.map(({ reason, category, quantity }) => ({
              reason: this.#clean(reason),
              category,
              at,
              n: quantity,
            })),
          );
        });
      case "check_in":
        return this.#read(type, readCheckIn(jsonOf(payload)), (checkIn) => {
          const { monitor, status, checkInId, durationSeconds, environment, plan } = checkIn;
          const durationMs = durationSeconds === undefined ? undefined : durationSeconds * 1_000;
          this.items.push({
            kind: "check-in",
            ...this.#nextReceivedRow(),
            at: this.#receivedAt,
            monitor: this.#clean(monitor),
            status,
            checkInId,
            durationMs,
            environment,
            plan,
          });
        });
      case "attachment":
        return this.#attachment({ header, payload });
      default:
        // Replays and unknown items are skipped, and the console shows how many.
        return this.#discard([{ reason: "not-kept", category: categoryOf(type), at: this.#receivedAt, n: 1 }]);
    }
  }

  get #receivedAt(): number {
    return Math.round(this.#record.receivedMs);
  }

  #nextRow(): RowKey {
    return { rowId: rowIdOf(this.#record.position, this.#rows++), project: this.#record.project };
  }

  #nextReceivedRow(): RowKey & { receivedAt: number } {
    return { ...this.#nextRow(), receivedAt: this.#receivedAt };
  }

  #clean(text: string): string {
    return this.#deps.scrubber.text(text);
  }

  #read<T>(type: string, reading: Reading<T>, file: (value: T) => void): void {
    if (reading.kind === "read") file(reading.value);
    else this.#discard([{ reason: "unreadable", category: categoryOf(type), at: this.#receivedAt, n: 1 }]);
  }

  #event(payload: Uint8Array): void {
    const reading = lenientlyRead(payload);
    const untouched = reading.flaw === undefined ? this.#briefIfUntouched(reading.value, payload) : undefined;
    if (untouched !== undefined) {
      const { event, chunks } = untouched;
      this.#addEvent(event, event.user, chunks, () => ({ form: "reported", bytes: payload }));
    } else {
      const reported = readAcceptedEvent({ ...reading, value: this.#withCleanParams(reading.value) });
      const { event: mapped, chunks } = this.#deps.symbolicate(this.#record.project, reported);
      this.#addEvent(this.#deps.scrubber.event(mapped), reported.user, chunks, filedJson);
    }
  }

  /** Parameters of a message may have secret names, which are lost once the message is formatted. */
  #withCleanParams(value: unknown): unknown {
    return isObject(value) && isObject(value.logentry)
      ? { ...value, logentry: this.#deps.scrubber.named(value.logentry) }
      : value;
  }

  /**
   * Reads only the parts of an event that filing needs, if it has neither secrets nor mapped frames, which holds for
   * nearly every one. It is stored unchanged, and the rest is read when it is opened.
   */
  #briefIfUntouched(value: unknown, payload: Uint8Array): Symbolicated | undefined {
    if (payload.length > mostStoredAsReported || !isObject(value) || !this.#deps.scrubber.findsNothingIn(value))
      return undefined;
    const request = isObject(value.request) ? { url: value.request.url } : undefined;
    const brief = readEvent({ ...value, ...notNeededForFiling, request }, briefLimits);
    if (brief.kind !== "read") return undefined;
    const symbolicated = this.#deps.symbolicate(this.#record.project, brief.value);
    return symbolicated.event === brief.value ? symbolicated : undefined;
  }

  #addEvent(
    reported: ReportedEvent,
    user: ReportedUser | undefined,
    chunks: readonly FiledChunk[],
    bodyOf: (event: ReportedEvent) => StoredJson,
  ): string {
    const row = this.#nextRow();
    const named = this.#headerNamesEvent ? this.#header.eventId : undefined;
    const eventId = named ?? reported.eventId ?? this.#header.eventId ?? idOfRow(row.rowId);
    const event = { ...markInApp(reported), eventId };
    const otherId = this.#otherId(eventId, reported);
    const ownerBy = this.#deps.ownersOf?.(row.project);
    const body = bodyOf(event);
    this.items.push(toFiledEvent({ event: { ...event, otherId }, user, row, time: this.#time, chunks, body, ownerBy }));
    return eventId;
  }

  /**
   * Second id of an event: the payload's, if the header has another, or the header's acknowledged one, if the envelope
   * has several events with their own ids.
   */
  #otherId(eventId: string, { eventId: inPayload }: ReportedEvent): string | undefined {
    if (inPayload !== undefined && inPayload !== eventId) return inPayload;
    const isFirst = !this.items.some(({ kind }) => kind === "event");
    return isFirst && this.#header.eventId !== eventId ? this.#header.eventId : undefined;
  }

  #transaction(payload: Uint8Array): void {
    const text = decoder.decode(payload);
    const value = valueIn(text);
    const untouched = payload.length > mostStoredAsReported ? undefined : this.#rootIfUntouched(value, text);
    if (untouched !== undefined) {
      this.items.push(spansOfUntouched(untouched, payload, this.#nextRow(), this.#time));
      return;
    }
    const whole = readTransaction(value);
    if (whole.kind === "read") return this.#scrubbedTransaction(whole.value);
    const reading = lenientlyRead(payload);
    const part = readTransaction(reading.value);
    if (part.kind === "read") this.#scrubbedTransaction(part.value);
    this.#unreadable(reading, whole.why);
  }

  /** The acknowledged id must lead to something: files an event that describes the flaw. */
  #unreadable(reading: PayloadReading, why: string): void {
    const { value } = reading;
    const event = insteadOf(reading, why);
    const named = isObject(value) ? eventOf(value, protocolLimits) : undefined;
    const described = {
      ...event,
      ...present({ eventId: named?.eventId, trace: named?.trace, release: named?.release }),
    };
    this.#addEvent(this.#deps.scrubber.event(described), undefined, [], filedJson);
  }

  /**
   * Reads only the root of a transaction, if it needs no change, which holds for nearly every one. Its spans are read
   * when the trace is opened.
   */
  #rootIfUntouched(value: unknown, text: string): TransactionRoot | undefined {
    if (this.#time.correction !== 0 || !isObject(value)) return undefined;
    if (mayCarryReports(text) || !this.#deps.scrubber.findsNothingIn(value)) return undefined;
    const root = readTransactionRoot(value, briefLimits);
    return root.kind === "read" ? root.value : undefined;
  }

  #scrubbedTransaction(transaction: ReportedTransaction): void {
    const { name, segment } = transaction;
    if (carriesReports(segment) || carriesReports({ name, attributes: {} })) {
      this.#discard([{ reason: "carries-reports", category: "transaction", at: this.#receivedAt, n: 1 }]);
      return;
    }
    const cleaned = { ...transaction, spans: this.#withoutReports(transaction.spans) };
    this.items.push(spansOfTransaction(this.#deps.scrubber.transaction(cleaned), this.#nextRow(), this.#time));
  }

  #withoutReports(spans: readonly ReportedSpan[]): readonly ReportedSpan[] {
    const remaining = spans.filter((span) => !carriesReports(span));
    const discarded = spans.length - remaining.length;
    if (discarded > 0)
      this.#discard([{ reason: "carries-reports", category: "span", at: this.#receivedAt, n: discarded }]);
    return remaining;
  }

  #namedFeedback(payload: Uint8Array): void {
    const reading = lenientlyRead(payload);
    const feedback = readFeedback(reading.value);
    if (feedback.kind === "read") this.#feedback(feedback.value);
    else this.#unreadable(reading, feedback.why);
  }

  #feedback(reported: ReportedFeedback): void {
    const { scrubber } = this.#deps;
    const { event: given, ...words } = scrubber.feedback(reported);
    const event = given && scrubber.event(given);
    // A user report has no id of its own: the header names the event it is about.
    const ownId = event && ((this.#headerNamesEvent ? this.#header.eventId : undefined) ?? event.eventId);
    const row = this.#nextReceivedRow();
    this.items.push(toFiledFeedback({ ...words, ...present({ event }) }, ownId, row, this.#time));
  }

  #attachment(item: EnvelopeItem): void {
    const { eventId } = this.#header;
    const { filename, contentType, bytes } = this.#deps.scrubber.file(readAttachment(item));
    if (eventId === undefined)
      this.#discard([{ reason: "without-event", category: "attachment", at: this.#receivedAt, n: 1 }]);
    else {
      const event = this.items.find((filed) => filed.kind === "event" && filed.eventId === eventId);
      const row = this.#nextReceivedRow();
      this.items.push({ kind: "attachment", ...row, eventId, eventRow: event?.rowId, filename, contentType, bytes });
    }
  }

  #discard(discards: readonly { reason: string; category: string; at: number; n: number }[]): void {
    this.items.push({ kind: "discards", ...this.#nextReceivedRow(), discards });
  }
}

function filedJson(event: ReportedEvent): StoredJson {
  return { form: "filed", bytes: Buffer.from(JSON.stringify(event)) };
}

/** Derives the id of an event without one. The same when the journal is read again. */
function idOfRow(rowId: number): string {
  return hash("sha1", `row ${rowId}`).slice(0, 32);
}

function categoryOf(type: string): string {
  return isItemType(type) ? itemKinds[type].category : "default";
}

const decoder = new TextDecoder();

interface PayloadReading extends LenientReading {
  readonly text: string;
}

function lenientlyRead(payload: Uint8Array): PayloadReading {
  const text = decoder.decode(payload);
  return { ...readLeniently(text, protocolLimits.jsonDepth), text };
}

/**
 * Reads an accepted event, which must be found by its id: as much as is readable, or a replacement that contains it.
 */
function readAcceptedEvent(accepted: PayloadReading): ReportedEvent {
  const { value, flaw } = accepted;
  const reading = readEvent(value);
  if (reading.kind === "read") {
    const { remarks = [] } = reading.value;
    if (flaw === undefined) return reading.value;
    if (saysWhatHappened(reading.value))
      return { ...reading.value, remarks: [...remarks, `${flaw} This is what could be read of it.`] };
  }
  return insteadOf(accepted, "It is no JSON object.");
}

/** Replaces an unreadable report. All of a project are one issue, because the cause is the client. */
function insteadOf({ value, flaw, text }: PayloadReading, why: string): ReportedEvent {
  const report = typeof value === "object" ? value : text.slice(0, protocolLimits.longText);
  const instead = { message: "A report could not be read.", logger: "holdfast.service", extra: { report } };
  const event = eventOf(instead, protocolLimits);
  return { ...event, remarks: [...(event.remarks ?? []), flaw ?? why] };
}

function saysWhatHappened({ exceptions, message, frames }: ReportedEvent): boolean {
  return exceptions.length > 0 || message !== undefined || frames !== undefined;
}

/** Depth and width were checked on acceptance. Invalid JSON yields undefined and is counted as unreadable. */
function jsonOf(payload: Uint8Array): unknown {
  return valueIn(decoder.decode(payload));
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
