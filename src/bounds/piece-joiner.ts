/** A piece of this size is passed on unchanged: the cost of its object is small in comparison. */
const largeBytes = 1_024;
const blockBytes = 16_384;

/**
 * Joins the small pieces of a body before passing them on. Each piece is an object of some hundred bytes, so a body of
 * 1 MiB in pieces of one byte would take 500 MiB.
 */
export class PieceJoiner<Piece extends Uint8Array, Answer> {
  readonly #allocate: (bytes: number) => Piece;
  readonly #take: (piece: Piece) => Answer;
  #block: Piece | undefined;
  #filled = 0;

  constructor(allocate: (bytes: number) => Piece, take: (piece: Piece) => Answer) {
    this.#allocate = allocate;
    this.#take = take;
  }

  /** Returns the result of the last piece that was passed on; `undefined` if the chunk waits for more. */
  push(chunk: Piece): Answer | undefined {
    if (chunk.length >= largeBytes) {
      const answer = this.flush();
      return this.#take(chunk) ?? answer;
    }
    this.#block ??= this.#allocate(blockBytes);
    this.#block.set(chunk, this.#filled);
    this.#filled += chunk.length;
    return this.#filled > blockBytes - largeBytes ? this.flush() : undefined;
  }

  /** Passes on the waiting bytes. */
  flush(): Answer | undefined {
    if (this.#block === undefined) return undefined;
    const piece = this.#block.subarray(0, this.#filled) as Piece;
    this.#block = undefined;
    this.#filled = 0;
    return this.#take(piece);
  }
}
