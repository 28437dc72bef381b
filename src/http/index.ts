export { chooseEncoding } from "./choose-encoding.ts";
export { type DiscardLimits, discardRest, drainBody, isUnread } from "./discard-body.ts";
export { endSocket, refuseUpgrade } from "./end-socket.ts";
export { constantHeaders, noStore, withCookies } from "./headers.ts";
export { type BodyText, noRoom, readBody, readBytes, takeBytes } from "./read-body.ts";
export {
  type Answer,
  beginStream,
  type Exchange,
  type LargeBodies,
  type Sink,
  send,
  sendHealth,
  sendJson,
  sendRedirect,
  sendText,
} from "./send.ts";
export { isCrossSite, isFromOwnPage, isFromThisMachine } from "./sender.ts";
export { BodyTooLarge, isCutBody, NoRoomForBody, streamBody } from "./stream-body.ts";
