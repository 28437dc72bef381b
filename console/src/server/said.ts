/** What an action of the console has done. */
export interface Said {
  said: string;
  /** Numbers of the issues to which it could be undone; absent where there is nothing to undo. */
  undo?: readonly number[];
  /** To be handed on; it is shown this once. */
  link?: string;
}
