import { languages } from "#routes/href";
import * as english from "../texts/english.ts";
import type { SubmissionOutcome } from "../view.ts";

/** Why a submission failed, in the words of the framework. */
export function failureReason({ status, why }: Extract<SubmissionOutcome, { kind: "failed" }>): string {
  return languages
    ? languages.text(reasonNames[why ?? status] ?? (status < 500 ? "notTaken" : "serverException"))
    : (reasons[why ?? status] ?? (status < 500 ? english.notTaken : english.serverException));
}

const reasons: Partial<Record<string | number, string>> = {
  401: english.signInElsewhere,
  413: english.tooLarge,
  "other-visitor": english.somebodyElse,
  unknown: english.mayBeReceived,
  "still-running": english.takesLong,
};

const reasonNames: Partial<Record<string | number, string>> = {
  401: "signInElsewhere",
  413: "tooLarge",
  "other-visitor": "somebodyElse",
  unknown: "mayBeReceived",
  "still-running": "takesLong",
};
