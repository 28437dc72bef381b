/** The headers that many responses of a page have in common. They are written once for each kind of response. */
export class ConstantHeads {
  readonly #ofPages = new WeakMap<object, Map<string, readonly string[]>>();

  /** The one list. `kind` names all that `write` depends on beside the page: few values. */
  get(page: object, kind: string, write: () => readonly string[]): readonly string[] {
    let kinds = this.#ofPages.get(page);
    if (!kinds) {
      kinds = new Map();
      this.#ofPages.set(page, kinds);
    }
    let headers = kinds.get(kind);
    if (!headers) {
      headers = write();
      kinds.set(kind, headers);
    }
    return headers;
  }
}
