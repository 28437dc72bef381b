/** A file of a form while it arrives. */
export interface ArrivingFile {
  /** Name of the form's field. */
  readonly field: string;
  /** The visitor's file name. Never use it as a path. */
  readonly name: string;
  /** The type that the browser claims. */
  readonly type: string;
  /** The content. Fails when the upload is cut or exceeds its limit; then `write` has to fail too. */
  readonly stream: ReadableStream<Uint8Array>;
}

/** Stores the files of an action in the application's own place, such as an object store, instead of on disk. */
export interface UploadTarget<Context = unknown> {
  /**
   * Stores one file and returns what identifies it: `input` has this text in place of the file. Runs after the guards
   * and before the action. If it throws, it removes what it has begun.
   */
  write(file: ArrivingFile, context: Context): Promise<string>;
  /**
   * Removes a stored file that no action has taken: the upload was cut, refused or repeated, or the action refused it
   * or failed.
   */
  discard(stored: string): Promise<void> | void;
}
