import { openPart, openPartSync, type PartRange, type SealedPart, type SealedSource } from "./sealed-part.ts";

/** Where Node keeps the content of a blob. Other code of the platform reads it there, and not by the methods. */
let contentSymbols: readonly symbol[] | undefined;

/**
 * A file with the content of a sealed part, which is decrypted while it is read. Its methods hold no more than they
 * return. Code of the platform that takes the content without a method, such as `new Blob([file])` and
 * `structuredClone`, gets the whole in memory.
 */
export function openSealed(
  { name, type }: { name: string; type: string },
  source: SealedSource,
  part: SealedPart,
): File {
  const range = { start: 0, end: part.size };
  contentSymbols ??= Object.getOwnPropertySymbols(new Blob());
  // A platform that keeps it elsewhere would give an empty file to such code.
  if (contentSymbols.length === 0) return new File([openPartSync(source, part, range)], name, { type });
  const file = new File([], name, { type });
  fill(file, { source, part, range });
  return file;
}

interface Viewed {
  source: SealedSource;
  part: SealedPart;
  range: PartRange;
}

/** Gives an empty blob this content. */
function fill(empty: Blob, viewed: Viewed): void {
  const { type } = empty;
  const size = viewed.range.end - viewed.range.start;
  let whole: Blob | undefined;
  const inMemory = (): Blob => {
    whole ??= new Blob([readable(() => openPartSync(viewed.source, viewed.part, viewed.range))], { type });
    return whole;
  };
  for (const symbol of contentSymbols ?? [])
    Object.defineProperty(empty, symbol, { configurable: true, get: () => Reflect.get(inMemory(), symbol) });
  const bytes = () => readAll(viewed, size);
  const methods: Partial<Blob> = {
    size,
    type,
    stream: () => streamOf(viewed),
    bytes,
    arrayBuffer: async () => (await bytes()).buffer,
    text: async () => new TextDecoder().decode(await bytes()),
    slice: (from, to, sliceType) => {
      const start = positionIn(size, from ?? 0);
      const end = Math.max(start, positionIn(size, to ?? size));
      const { start: before } = viewed.range;
      const slice = new Blob([], { type: sliceType ?? "" });
      fill(slice, { ...viewed, range: { start: before + start, end: before + end } });
      return slice;
    },
  };
  for (const [name, value] of Object.entries(methods))
    Object.defineProperty(empty, name, { value, configurable: true });
}

/** As `slice` counts: a negative number from the end. */
function positionIn(size: number, wanted: number): number {
  const whole = Math.trunc(wanted) || 0;
  return whole < 0 ? Math.max(size + whole, 0) : Math.min(whole, size);
}

async function readAll({ source, part, range }: Viewed, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(size);
  let at = 0;
  try {
    for await (const piece of openPart(source, part, range)) {
      all.set(piece, at);
      at += piece.length;
    }
  } catch (error) {
    throw notReadable(error);
  }
  return all;
}

function streamOf({ source, part, range }: Viewed): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = openPart(source, part, range);
  return new ReadableStream({
    type: "bytes",
    pull: async (controller) => {
      try {
        const next = await pieces.next();
        if (!next.done) return controller.enqueue(next.value);
        controller.close();
        // A reader with a buffer of its own waits for it.
        controller.byobRequest?.respond(0);
      } catch (error) {
        controller.error(notReadable(error));
      }
    },
    cancel: async () => void (await pieces.return()),
  });
}

function readable<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw notReadable(error);
  }
}

/** As the platform says it of a file that was removed. */
function notReadable(cause: unknown): DOMException {
  return new DOMException(`The file cannot be read, or its action has ended: ${cause}`, "NotReadableError");
}
