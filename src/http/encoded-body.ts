import { brotliOfStored, compress, type ResponseEncoding, worthCompressingBytes } from "./compress.ts";
import { StoredResponse, storedBytes } from "./stored-response.ts";

/** A body with the encodings that it has so far. */
export interface EncodedForms {
  plain: Buffer;
  encoded: ReadonlyMap<ResponseEncoding, Buffer>;
}

/** A body that is sent many times: compressed at most once for each encoding. */
export class EncodedBody {
  readonly plain: Buffer;
  /** Called with the bytes of each encoding that is kept beside the plain text. */
  onGrow: ((bytes: number) => void) | undefined;
  readonly #encoded = new Map<ResponseEncoding, Buffer | Promise<Buffer>>();
  /** Undefined where the headers cannot be stored. */
  readonly #stored = new Map<ResponseEncoding | undefined, StoredResponse | undefined>();

  constructor(text: string | Buffer) {
    this.plain = typeof text === "string" ? Buffer.from(text) : text;
  }

  /** The body whose forms these were. */
  static of({ plain, encoded }: EncodedForms): EncodedBody {
    const body = new EncodedBody(plain);
    for (const [encoding, bytes] of encoded) body.#encoded.set(encoding, bytes);
    return body;
  }

  /** What is complete: an encoding that is being made is not among it. */
  forms(): EncodedForms {
    const complete = [...this.#encoded].filter((one): one is [ResponseEncoding, Buffer] => one[1] instanceof Buffer);
    return { plain: this.plain, encoded: new Map(complete) };
  }

  /** Of all its forms. */
  get bytes(): number {
    const { plain, encoded } = this.forms();
    const stored = [...this.#stored.values()].reduce((sum, one) => sum + (one?.bytes ?? 0), 0);
    return [...encoded.values()].reduce((sum, { length }) => sum + length, plain.length + stored);
  }

  get isWorthCompressing(): boolean {
    return this.plain.length >= worthCompressingBytes;
  }

  in(encoding: ResponseEncoding): Buffer | Promise<Buffer> {
    const known = this.#encoded.get(encoding);
    if (known !== undefined) return known;
    const compressed = compress(this.plain, encoding, brotliOfStored);
    if (compressed instanceof Promise) {
      // Requests that arrive meanwhile wait for the same one.
      this.#encoded.set(encoding, compressed);
      return compressed.then(
        (bytes) => this.#keep(encoding, bytes),
        (error: unknown) => {
          this.#encoded.delete(encoding);
          throw error;
        },
      );
    }
    return this.#keep(encoding, compressed);
  }

  /** The complete response with this body, if one was stored. */
  storedIn(encoding: ResponseEncoding | undefined): StoredResponse | undefined {
    return this.#stored.get(encoding);
  }

  /**
   * Stores the complete response, if its body is small and ready and its headers can be stored. They are those of every
   * response with this encoding, whose list has no `Content-Encoding` yet.
   */
  store(encoding: ResponseEncoding | undefined, headers: readonly string[]): void {
    const body = encoding === undefined ? this.plain : this.in(encoding);
    if (body instanceof Promise || body.length > storedBytes || this.#stored.has(encoding)) return;
    const own = encoding === undefined ? headers : [...headers, "Content-Encoding", encoding];
    const stored = StoredResponse.of(own, body.toString("latin1"));
    this.#stored.set(encoding, stored);
    if (stored) this.onGrow?.(stored.bytes);
  }

  #keep(encoding: ResponseEncoding, bytes: Buffer): Buffer {
    this.#encoded.set(encoding, bytes);
    this.onGrow?.(bytes.length);
    return bytes;
  }
}
