import * as pageErrors from "../../errors.ts";
import { type EventsContext, type ServerEvent, visitScope } from "./visit-scope.ts";

/**
 * The response of an API route with server-sent events: a page reads them with `new EventSource("/news")`. The next
 * event is asked for when the client has taken the last one. Heartbeats keep the connection open. When the server
 * stops, the stream ends, and the browser reconnects to the next process with the last `id`.
 *
 * @example
 * export const GET = () =>
 *   events(async function* ({ lastEventId, signal }) {
 *     for await (const order of newOrders({ after: lastEventId, signal })) yield { id: order.id, data: order };
 *   });
 */
export function events(source: (context: EventsContext) => AsyncIterable<ServerEvent>): Response {
  const scope = visitScope.getStore();
  if (!scope) throw pageErrors.eventsOutsideRequest();
  return scope.openEvents(source);
}
