import type { ReportedEvent } from "#protocol";
import { culpritFrame, isMessage, mainException } from "./main-exception.ts";

/** Title of an issue in lists. */
export interface Title {
  /** `TypeError`. Undefined for messages. */
  type: string | undefined;
  /** First line of the error's text, or of the message. */
  text: string;
  /** Place to look at: `src/cart.ts:42 cartTotal`. */
  culprit: string | undefined;
}

// One row of a list. The whole text is in the event.
const titleCharacters = 200;

export function titleOf(event: ReportedEvent): Title {
  const culprit = culpritOf(event);
  if (isMessage(event)) return { type: undefined, text: firstLine(event.message?.text ?? ""), culprit };
  const main = mainException(event);
  if (main === undefined)
    return { type: undefined, text: firstLine(event.message?.text ?? "") || "(no message)", culprit };
  const text = firstLine(main.value ?? event.message?.text ?? "");
  return { type: main.type ?? (text === "" ? "Error" : undefined), text, culprit };
}

/** `TypeError: cart is undefined`, or only a type or a message. */
export function titleLine(type: string | null | undefined, text: string): string {
  return [type ?? "", text].filter((part) => part !== "").join(": ");
}

export function titleOfEvent(event: ReportedEvent): string {
  const { type, text } = titleOf(event);
  return titleLine(type, text);
}

function culpritOf(event: ReportedEvent): string | undefined {
  const frame = culpritFrame(event);
  const file = frame?.filename ?? frame?.absPath ?? frame?.module;
  if (frame === undefined || file === undefined) return event.culprit ?? event.transaction;
  const location = frame.line === undefined ? file : `${file}:${frame.line}`;
  return frame.function === undefined ? location : `${location} ${frame.function}`;
}

function firstLine(text: string): string {
  const line = text.trimStart().split(/\r?\n/, 1)[0] ?? "";
  return line.length > titleCharacters ? `${line.slice(0, titleCharacters - 1)}…` : line;
}
