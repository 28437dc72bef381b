import type { HistoryEntries } from "../history-entries.ts";
import type { Screen } from "../show/screen.tsx";
import { Dialogs } from "./dialogs.ts";
import { changeIn } from "./view-transition.ts";

/**
 * Ways to show a page that few links ask for: as a dialog, and in a view transition. Loaded with the first page that
 * has such a link.
 */
export interface Presenter {
  dialogs: Dialogs;
  changeIn: typeof changeIn;
}

/** `isBusy`: whether a navigation is pending. */
export function openPresenter(screen: Screen, entries: HistoryEntries, isBusy: () => boolean): Presenter {
  return { dialogs: new Dialogs(screen, entries, isBusy), changeIn };
}
