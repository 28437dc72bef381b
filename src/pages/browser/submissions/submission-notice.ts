import type { SubmissionState } from "../../react/slots.ts";
import { ownElement } from "../own-element.ts";
import type { Submission } from "./submission-events.ts";

/** The question to the visitor about a form whose response is lost. */
export interface Words {
  text: string;
  buttons: readonly (readonly [label: string, press: () => void])[];
  /** Shows a link to the page, to check whether the form was received. */
  link: boolean;
  state: SubmissionState;
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
    ["Discard", discard],
  ];
  if (phase.kind === "held")
    return {
      text: `Connection lost. It is not known whether this was received. What you typed is kept. ${
        consent ? "It is sent again if it was not received." : "We will find out as soon as the connection is back."
      }`,
      buttons: consent ? [["Discard", discard]] : offer("Send when possible"),
      link: false,
      state: { kind: "held", consented: consent, ...rest },
    };
  if (phase.kind !== "unsure") return undefined;
  const { received } = phase;
  return {
    text:
      received === "no"
        ? "Connection lost. This was not received. What you typed is kept."
        : "Connection lost. This may have been received. Look before you send it again. What you typed is kept.",
    buttons: offer("Send again"),
    link: received === "unknown",
    state: { kind: "unsure", received, ...rest },
  };
}

/** Replaces the content of an element with the text and buttons. */
export function fillNotice(element: HTMLElement | null, { text, buttons, link }: Words, style = ""): void {
  if (!element) return;
  element.replaceChildren(text, " ");
  for (const [label, press] of buttons) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.style.cssText = style;
    button.onclick = press;
    element.append(button, " ");
  }
  if (!link) return;
  const anchor = document.createElement("a");
  anchor.href = location.href;
  anchor.target = "_blank";
  anchor.textContent = "Open the page in a new tab";
  element.append(anchor);
}

/** Shows a bar at the edge of the window for a submission without a form on the page. */
export function showNotice(words: Words | undefined): void {
  const bar = ownElement("submission", (made) => {
    made.role = "alert";
    made.style.cssText = barStyle;
  });
  if (!words) bar.remove();
  else if (bar.dataset.text !== words.text) {
    bar.dataset.text = words.text;
    fillNotice(bar, words, buttonStyle);
  }
}

/** The same style as the connection bar in `signs.ts`. */
const barStyle =
  "position:fixed;z-index:2147483647;inset:auto 0 0;padding:8px 16px;text-align:center;font:16px/26px system-ui,sans-serif;color-scheme:light dark;background:light-dark(#14201b,#e6efe9);color:light-dark(#fbfcfb,#0d1512)";
const buttonStyle =
  "min-height:44px;margin-left:16px;padding:0 16px;font:inherit;color:inherit;background:none;border:1px solid;border-radius:6px";
