import { compress, type ResponseEncoding, worthCompressingBytes } from "./compress.ts";

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
    return [...encoded.values()].reduce((sum, { length }) => sum + length, plain.length);
  }

  get isWorthCompressing(): boolean {
    return this.plain.length >= worthCompressingBytes;
  }

  in(encoding: ResponseEncoding): Buffer | Promise<Buffer> {
    const known = this.#encoded.get(encoding);
    if (known !== undefined) return known;
    const compressed = compress(this.plain, encoding);
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

  #keep(encoding: ResponseEncoding, bytes: Buffer): Buffer {
    this.#encoded.set(encoding, bytes);
    this.onGrow?.(bytes.length);
    return bytes;
  }
}
