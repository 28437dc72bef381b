import type { CarriedSubmission } from "../../early-input.ts";
import type { PageKeeps } from "../../view.ts";
import type { Drafts } from "../drafts/drafts.ts";
import type { Sent } from "../submissions/sent-submission.ts";

/** The page on screen, as the code for later visits uses it. */
export interface ReturnPage {
  readonly url: string;
  readonly drafts: Pick<Drafts, "here" | "adopt" | "isStorable">;
  /** Continues a submission of an earlier visit, and sends its form again if the server has not received it. */
  recover(known: CarriedSubmission, form: FormData, keeps: PageKeeps): Sent;
}

export interface ReturnDeps {
  /** The page on screen, once the code for its forms has loaded. */
  page(): Promise<ReturnPage>;
  navigate(to: string): void;
  /** Tag of the session whose pages this tab shows. */
  tag(): string;
}
