/** Result of an action of the console. */
export interface Said {
  said: string;
  /** Numbers of the issues for which it can be undone. Undefined if there is nothing to undo. */
  undo?: readonly number[];
  /** A link to pass on. It is shown only once. */
  link?: string;
  /** A secret to pass on. It is shown only once. */
  secret?: string;
}
