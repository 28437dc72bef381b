import { compress, type ResponseEncoding, worthCompressingBytes } from "./compress.ts";

/** A body that is sent many times: compressed at most once for each encoding. */
export class EncodedBody {
  readonly plain: Buffer;
  /** Called with the bytes of each encoding that is kept beside the plain text. */
  onGrow: ((bytes: number) => void) | undefined;
  readonly #encoded = new Map<ResponseEncoding, Buffer | Promise<Buffer>>();

  constructor(text: string) {
    this.plain = Buffer.from(text);
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
