/**
 * An error of the framework itself, written for the person who reads it: what happened with the values, what to do, and
 * a code that never changes.
 */
export class HoldfastError extends Error {
  /** Permanent: identifies the page in the error catalogue and groups the error in the console. */
  readonly code: string;
  readonly whatToDo: string;

  constructor(code: string, whatHappened: string, whatToDo: string, options?: ErrorOptions) {
    super(`${whatHappened} ${whatToDo} [${code}]`, options);
    this.name = "HoldfastError";
    this.code = code;
    this.whatToDo = whatToDo;
  }
}

export { codeAddressesOf, packageAddressOf } from "./package-address.ts";
export { plainLine, plainText } from "./plain-text.ts";
export { errorOf, hasCode, messageOf } from "./thrown.ts";
