import { readDocument, type SharedDocument } from "../documents/document.ts";
import {
  addToFigures,
  type FilterFigures,
  filterFiguresIn,
  type IntakeChanges,
  type KeyFigures,
  type KnownRules,
  keyFiguresIn,
  spikeIn,
} from "./figures.ts";
import type { Spike } from "./spike-rules.ts";

export const intakeFile = "intake.json";

/** Figures about keys and filters, for all processes. They are not exact to the minute. */
export interface IntakeFigures {
  ofKeys(publicKeys: readonly string[]): readonly KeyFigures[];
  ofFilters(ids: readonly string[], now: number): readonly FilterFigures[];
  /** The last one of a project, also one that is long over. */
  spikeOf(project: number): Spike | undefined;
  add(changes: IntakeChanges, known: KnownRules, now: number): Promise<void>;
}

export function intakeFiguresOf(document: SharedDocument): IntakeFigures {
  return {
    ofKeys: (publicKeys) => {
      const figures = readDocument(document.file);
      return publicKeys.map((publicKey) => keyFiguresIn(figures, publicKey));
    },
    ofFilters: (ids, now) => {
      const figures = readDocument(document.file);
      return ids.map((id) => filterFiguresIn(figures, id, now));
    },
    spikeOf: (project) => spikeIn(readDocument(document.file), project),
    add: (changes, known, now) => document.change((before) => addToFigures(before, changes, known, now)),
  };
}
