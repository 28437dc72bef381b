import { languages } from "#routes/href";
import * as english from "../../texts/english.ts";
import { ownElement } from "../own-element.ts";
import { noticeButton, styleNotice } from "../show/signs.ts";

/** One message about an earlier visit, with what the visitor can do. Each of `buttons` also closes it. */
export interface ReturnNotice {
  /** Wall-clock time of what it is about. */
  at: number;
  texts: readonly ReturnText[];
  /** A sentence of the server, in place of `texts`. */
  message?: string | undefined;
  digest?: string | undefined;
  /** What the visitor typed, where no form can show it. It gets a button that copies it. */
  typed?: string | undefined;
  link?: readonly [label: ReturnText, href: string, press: () => void];
  buttons: readonly (readonly [label: ReturnText, press: () => void])[];
}

/** Shows a message at the edge of the window, below those that are there already. It takes no focus. */
export function showReturnNotice(notice: ReturnNotice): void {
  const { at, texts: names, message, digest = "", typed, link, buttons } = notice;
  const bar = ownElement("return", (element) => {
    styleNotice(element);
    element.role = "status";
  });
  const row = document.createElement("p");
  row.style.margin = "0";
  const close = (): void => {
    row.remove();
    if (bar.childElementCount === 0) bar.remove();
  };
  if (link) {
    const [label, href, press] = link;
    const anchor = Object.assign(document.createElement("a"), { href, textContent: say(label) });
    anchor.style.cssText = "margin-left:16px;color:inherit";
    anchor.onclick = (event) => {
      // In another tab it is a plain link.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      close();
      press();
    };
    row.append(anchor);
  }
  const text = typed ? typedText(typed) : undefined;
  const addButton = (label: ReturnText, press: () => void): void => {
    const button = noticeButton(say(label), press);
    button.type = "button";
    row.append(button);
  };
  if (text)
    addButton("copyTyped", () => {
      text.focus();
      text.select();
      // Unlike `navigator.clipboard`, this needs no permission. What cannot be copied stays selected.
      if (document.execCommand("copy")) close();
    });
  for (const [label, press] of buttons)
    addButton(label, () => {
      close();
      press();
    });
  const words = names.map((name) =>
    say(name)
      .replace("{when}", () => whenOf(at))
      .replace("{digest}", digest),
  );
  row.prepend(message ?? words.join(" "));
  if (text) row.append(text);
  // Screen readers announce what is added to an element that they know already.
  setTimeout(() => bar.append(row));
}

/** A weekday names one of the last days only. */
const weekdayMs = 518_400_000;

function whenOf(at: number): string {
  const day =
    Date.now() - at < weekdayMs ? ({ weekday: "long" } as const) : ({ day: "numeric", month: "long" } as const);
  const time = { hour: "numeric", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat(document.documentElement.lang || undefined, { ...day, ...time }).format(at);
}

function typedText(typed: string): HTMLTextAreaElement {
  const text = Object.assign(document.createElement("textarea"), { value: typed, readOnly: true, rows: 3 });
  text.ariaLabel = say("copyTyped");
  text.style.cssText = "display:block;width:100%;margin:8px 0 0;font:inherit;box-sizing:border-box";
  return text;
}

export type ReturnText =
  | "returnReceived"
  | "returnNotReceived"
  | "returnEnterAgain"
  | "returnMaybe"
  | "returnNotTaken"
  | "returnOther"
  | "returnGone"
  | "returnCode"
  | "returnRepaired"
  | "continueThere"
  | "openForm"
  | "copyTyped"
  | "discard"
  | "close";

/** Listed, so that the bundler leaves the other texts out. */
const texts: Readonly<Record<ReturnText, string>> = {
  returnReceived: english.returnReceived,
  returnNotReceived: english.returnNotReceived,
  returnEnterAgain: english.returnEnterAgain,
  returnMaybe: english.returnMaybe,
  returnNotTaken: english.returnNotTaken,
  returnOther: english.returnOther,
  returnGone: english.returnGone,
  returnCode: english.returnCode,
  returnRepaired: english.returnRepaired,
  continueThere: english.continueThere,
  openForm: english.openForm,
  copyTyped: english.copyTyped,
  discard: english.discard,
  close: english.close,
};

function say(name: ReturnText): string {
  return languages ? languages.text(name) : texts[name];
}
