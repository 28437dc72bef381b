/** The part of protobuf's wire format that OpenTelemetry needs: a list of numbered fields. */
export type Field =
  | { number: number; kind: "varint"; value: bigint }
  | { number: number; kind: "fixed64"; value: Uint8Array }
  | { number: number; kind: "bytes"; value: Uint8Array }
  | { number: number; kind: "fixed32"; value: Uint8Array };

/**
 * Reads the fields of one message, in order. Throws a RangeError if the bytes end inside a field or contain an unknown
 * kind.
 */
export function readProtobufFields(message: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  while (at < message.length) {
    const tag = readVarint(message, at);
    const number = Number(tag.value >> 3n);
    const content = readContent(message, tag.next, number, Number(tag.value & 7n));
    fields.push(content.field);
    at = content.next;
  }
  return fields;
}

function readContent(
  message: Uint8Array,
  at: number,
  number: number,
  wireType: number,
): { field: Field; next: number } {
  switch (wireType) {
    case 0: {
      const { value, next } = readVarint(message, at);
      return { field: { number, kind: "varint", value }, next };
    }
    case 1:
      return { field: { number, kind: "fixed64", value: slice(message, at, 8) }, next: at + 8 };
    case 2: {
      const length = readVarint(message, at);
      const value = slice(message, length.next, Number(length.value));
      return { field: { number, kind: "bytes", value }, next: length.next + value.length };
    }
    case 5:
      return { field: { number, kind: "fixed32", value: slice(message, at, 4) }, next: at + 4 };
    default:
      throw new RangeError(`A field has the unknown wire type ${wireType}.`);
  }
}

function readVarint(message: Uint8Array, from: number): { value: bigint; next: number } {
  let value = 0n;
  for (let at = from; at < from + 10; at += 1) {
    const byte = message[at];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from));
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), next: at + 1 };
  }
  throw new RangeError("The message ends inside a number.");
}

function slice(message: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length > message.length) throw new RangeError("A field is longer than its message.");
  return message.subarray(at, at + length);
}
