import { type AlertMessage, cut } from "../messages/alert-message.ts";
import { asMarkdown } from "../messages/as-markdown.ts";

/** Mattermost cuts a post of more than 16,383 characters into two. */
const postLength = 16_383;

export function mattermostBody(message: AlertMessage): object {
  return { text: cut(asMarkdown(message), postLength) };
}
