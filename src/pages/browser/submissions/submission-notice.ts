import { languages } from "#routes/href";
import type { SubmissionState } from "../../react/slots.ts";
import * as english from "../../texts/english.ts";
import { ownElement } from "../own-element.ts";
import { noticeButton, styleNotice } from "../show/signs.ts";
import type { Submission } from "./submission-events.ts";

/** What the visitor reads about a form whose response is lost, with a question if there is a choice. */
export interface Words {
  role: "alert" | "status";
  text: string;
  buttons: readonly (readonly [label: string, press: () => void])[];
  /** Shows a link to the page, to check whether the form was received. */
  link: boolean;
  state?: SubmissionState;
}

export interface Choices {
  again(): void;
  discard(): void;
}

export function wordsFor({ phase, consent, body }: Submission, { again, discard }: Choices): Words | undefined {
  const rest = { again, discard };
  // The body of an earlier document's submission is gone, so it cannot be sent again.
  const offer = (label: string): Words["buttons"] => [
    ...(body === "" ? [] : ([[label, again]] as const)),
    [languages ? languages.text("discard") : english.discard, discard],
  ];
  // The server counts on a process that was killed for half a minute.
  if (phase.kind === "querying" && phase.runs)
    return {
      role: "status",
      text: languages ? languages.text("stillSending") : english.stillSending,
      buttons: [],
      link: false,
    };
  if (phase.kind === "held")
    return {
      role: "alert",
      text: languages
        ? `${languages.text("lostUnknown")} ${languages.text(consent ? "sentAgain" : "willFindOut")}`
        : `${english.lostUnknown} ${consent ? english.sentAgain : english.willFindOut}`,
      buttons: consent
        ? [[languages ? languages.text("discard") : english.discard, discard]]
        : offer(languages ? languages.text("sendWhenPossible") : english.sendWhenPossible),
      link: false,
      state: { kind: "held", consented: consent, ...rest },
    };
  if (phase.kind !== "unsure") return undefined;
  const { received } = phase;
  return {
    role: "alert",
    text: languages
      ? languages.text(received === "no" ? "lostNotReceived" : "lostMaybe")
      : received === "no"
        ? english.lostNotReceived
        : english.lostMaybe,
    buttons: offer(languages ? languages.text("sendAgain") : english.sendAgain),
    link: received === "unknown",
    state: { kind: "unsure", received, ...rest },
  };
}

/** Replaces the content of an element with the text and buttons. */
export function fillNotice(element: HTMLElement | null, { text, buttons, link }: Words, isBar = false): void {
  if (!element) return;
  element.replaceChildren(text, " ");
  for (const [label, press] of buttons) {
    const button = noticeButton(label, press);
    button.type = "button";
    // In the page it looks as the page's buttons do.
    if (!isBar) button.style.cssText = "";
    element.append(button, " ");
  }
  if (!link) return;
  const anchor = document.createElement("a");
  anchor.href = location.href;
  anchor.target = "_blank";
  anchor.textContent = languages ? languages.text("openInNewTab") : english.openInNewTab;
  element.append(anchor);
}

/** Shows an alert that the visitor may close. Returns a function that removes it. */
export function showMessage(text: string): () => void {
  const bar = ownElement("message", styleNotice);
  const close = (): void => bar.remove();
  const label = languages ? languages.text("close") : english.close;
  bar.role = "alert";
  fillNotice(bar, { role: "alert", text, buttons: [[label, close]], link: false }, true);
  return close;
}

/** Shows a bar at the edge of the window for a submission without a form on the page. */
export function showNotice(words: Words | undefined): void {
  const bar = ownElement("submission", styleNotice);
  if (!words) bar.remove();
  else if (bar.dataset.text !== words.text) {
    bar.dataset.text = words.text;
    bar.role = words.role;
    fillNotice(bar, words, true);
  }
}
