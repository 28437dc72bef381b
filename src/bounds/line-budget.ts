/**
 * Limits the characters written to a log, in a burst and per second after that. Further lines are dropped and counted.
 */
export class LineBudget {
  readonly #burst: number;
  readonly #perSecond: number;
  #characters: number;
  #atMs: number | undefined;
  #leftOut = 0;

  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#characters = burst;
  }

  /**
   * Whether a line may be written now. Called before the line is formatted, so that a flood costs little; `wrote` then
   * gets its length.
   */
  mayWrite(nowMs: number): boolean {
    const waited = this.#atMs === undefined ? 0 : Math.max(0, nowMs - this.#atMs) / 1_000;
    this.#atMs = nowMs;
    this.#characters = Math.min(this.#burst, this.#characters + waited * this.#perSecond);
    if (this.#characters > 0) return true;
    this.#leftOut += 1;
    return false;
  }

  wrote(characters: number): void {
    this.#characters -= characters;
  }

  /** Returns the number of lines dropped since the last call. */
  takeLeftOut(): number {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut;
  }
}
