export { type ByteRange, matchesEntityTag, readByteRange } from "./byte-range.ts";
export { chooseEncoding } from "./choose-encoding.ts";
export { type DiscardLimits, discardRest, drainBody, isUnread } from "./discard-body.ts";
export { EncodedBody, type EncodedForms } from "./encoded-body.ts";
export { announcesBody, endBodiless } from "./end-bodiless.ts";
export { endSocket, refuseUpgrade } from "./end-socket.ts";
export { awaitsContinue, continueWhenRead } from "./expect-continue.ts";
export { acceptsJson, addVary, constantHeaders, lastForwarded, noStore, withCookies } from "./headers.ts";
export { httpClientFor } from "./http-client.ts";
export { QuickResponse } from "./quick-response.ts";
export { type BodyText, noRoom, readBody, readBytes, takeBytes } from "./read-body.ts";
export {
  type ChangedHeader,
  type ChangedHeaders,
  changeHeader,
  isHeaderValue,
  pairsOf,
  refuseHeader,
  withChanges,
} from "./response-headers.ts";
export {
  type Answer,
  beginStream,
  type Exchange,
  encodingFor,
  type LargeBodies,
  type Sink,
  send,
  sendEncoded,
  sendHealth,
  sendJson,
  sendRedirect,
  sendText,
  sendVaried,
} from "./send.ts";
export { isCrossSite, isForeignSocket, isFromOwnPage, isFromThisMachine } from "./sender.ts";
export { type SendsStored, StoredResponse, storedBytes, storedSenderOf } from "./stored-response.ts";
export { BodyTooLarge, isCutBody, NoRoomForBody, streamBody } from "./stream-body.ts";
export { sendWebResponse, webRequestOf } from "./web-exchange.ts";
