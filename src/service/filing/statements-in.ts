import { type BalanceStatement, readClientReport } from "#protocol";
import { envelopeOf, type JournalRecord } from "../journal/record.ts";

/** What a client of a project says about its own books. */
export interface ProjectStatement {
  readonly project: number;
  readonly receivedAt: number;
  readonly statement: BalanceStatement;
}

const mark = Buffer.from('"balance":');

/** Finds statements by their text: few records have one, and parsing all of them twice would double the cost. */
export function statementsIn(records: readonly JournalRecord[]): readonly ProjectStatement[] {
  return records.filter(({ bytes }) => bufferOf(bytes).includes(mark)).flatMap(read);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** An unreadable record is counted when it is filed. */
function read(record: JournalRecord): readonly ProjectStatement[] {
  const { project, receivedMs } = record;
  try {
    return envelopeOf(record)
      .items.filter(({ header }) => header.type === "client_report")
      .flatMap(({ payload }) => {
        const reading = readClientReport(JSON.parse(new TextDecoder().decode(payload)));
        const statement = reading.kind === "read" ? reading.value.balance : undefined;
        return statement === undefined ? [] : [{ project, receivedAt: Math.round(receivedMs), statement }];
      });
  } catch {
    return [];
  }
}
