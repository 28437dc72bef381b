/** A part of the tab whose code loads when the page first needs it. */
export class OnDemand<Part> {
  /** Undefined until the code has loaded. */
  part: Part | undefined;
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | undefined;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** After a failure, the next call tries again. */
  get(): Promise<Part> {
    this.#loading ??= this.#load().then(
      (part) => {
        this.part = part;
        return part;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }
}
