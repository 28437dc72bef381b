import type { Press } from "../../react/browser-runtime.ts";
import type { FormEnd, Posted, slots } from "../../react/slots.ts";
import type { Drafts } from "../drafts/drafts.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";
import type { Navigations } from "../navigation/navigations.ts";
import type { Traversals } from "../navigation/traversals.ts";

/** The page on screen, as the code in this folder needs it: `LivePage`. Imports of its modules would enlarge them. */
export interface ExtrasPage {
  slots: typeof slots;
  /** Its address, also while the browser is on the way to another. */
  url: string;
  /** Outcomes of the forms of this history entry. */
  outcomes: Map<string, FormEnd> | undefined;
  drafts: Pick<Drafts, "keep" | "isStorable" | "hasControlled">;
  /** Forms with `confirmLeave` that were typed into, until the code in this folder compares them. */
  unsaved: Set<HTMLFormElement>;
  /** Listens for `beforeunload` until then. */
  confirmFirst(event: Event): void;
  /** The name of a form's slot. */
  nameOf(form: HTMLFormElement): string | undefined;
  /** Renders the forms. */
  tick(): void;
  send(press: Press): Promise<Posted>;
}

/** The navigation that is pending, if there is one: it may have waited for the code in this folder. */
export interface PendingNavigation {
  navigations: Pick<Navigations, "state" | "dispatch">;
  traversals: Pick<Traversals, "moved">;
  start(target: NavigationTarget): void;
}

/** A form that was pressed, and the name of its slot. */
export interface PressedForm {
  name: string;
  element: HTMLFormElement;
  form: FormData;
}
