/** What is deleted once no process can use it any more. */
export interface EraseState {
  readonly emptied: Set<number>;
  readonly names: Set<string>;
  changedAt: number;
}

export function newEraseState(): EraseState {
  return { emptied: new Set(), names: new Set(), changedAt: 0 };
}
