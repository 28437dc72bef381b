import { acceptsJson, constantHeaders, drainBody, type Exchange, noStore, send } from "#http";
import { lastResortPage, type PageHandler, type Texts, visitorLanguage } from "#pages";
import { pageOf } from "./sending-page.ts";

/** What a visitor reads after a form of the framework was sent. */
export interface FormReply {
  status: number;
  title?: keyof Texts;
  text: keyof Texts;
  /** Until the next attempt. */
  seconds?: number;
}

export type SendReply = (exchange: Exchange, reply: FormReply) => Promise<void>;

/** A page in the visitor's language, or JSON for the script of a page. Works without scripts. */
export function createFormReply(pages: Pick<PageHandler, "languageFor">): SendReply {
  return async (exchange, { status, title = "refused", text, seconds = 0 }) => {
    const { incoming, response } = exchange;
    await drainBody(incoming);
    const language = pages.languageFor?.(incoming) ?? visitorLanguage(incoming);
    const say = (name: keyof Texts): string =>
      language.texts[name].replace("{status}", String(status)).replace("{seconds}", String(seconds));
    if (seconds > 0) response.setHeader("Retry-After", seconds);
    const isJson = acceptsJson(incoming);
    const type = isJson ? "application/json" : "text/html; charset=utf-8";
    const body = isJson
      ? JSON.stringify({ said: say(text) })
      : lastResortPage({ title: say(title), text: say(text), back: pageOf(incoming) ?? "/", language });
    await send(exchange, { status, headers: [...constantHeaders, "Content-Type", type, ...noStore], body });
  };
}

/** For a body that was refused with this status. */
export function refusedBody(status: number): FormReply {
  return { status, text: status === 413 ? "tooLarge" : "notTaken" };
}
