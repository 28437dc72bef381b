import { use } from "react";
import { answerAddress } from "../answer-address.ts";
import { PageContext } from "./page-context.ts";

/**
 * For an `_error` file: the address of the page that tells the visitor whether the error is repaired. Undefined without
 * a digest, and where the configuration turns it off. Link to it with `data-hard`.
 *
 * @example
 * const answer = useAnswerAddress(digest);
 * return answer && <a href={answer} data-hard="">See whether it is repaired</a>;
 */
export function useAnswerAddress(digest: string | undefined): string | undefined {
  // A hook and not a prop of all error pages: a page that does not fail loads nothing of it.
  const hasAnswers = use(PageContext)?.hasAnswers ?? document.querySelector("[data-answers]");
  return digest && hasAnswers ? answerAddress(digest) : undefined;
}
