import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import type { LinkParams, SearchInput, SocketGives, SocketId, SocketTakes } from "#routes";
import { href } from "#routes/href";
import { type SocketEnd, SocketLink, type SocketState } from "./socket-link.ts";

export interface UseSocketOptions<Id extends string> {
  /** The parameters of the route. */
  params?: LinkParams<Id>;
  search?: SearchInput;
  /** Called with every message of the server. */
  onMessage?: (message: SocketGives<Id>) => void;
}

export interface LiveSocket<Message> {
  /**
   * `waiting`: the connection is lost, and another attempt follows by itself. `closed`: the server has ended it, or
   * refused it, and no attempt follows.
   */
  readonly state: SocketState;
  /** Why it is closed: 4401 and 4403 are a refusal with 401 and 403. */
  readonly end: SocketEnd | undefined;
  /** Sends a message. While there is no connection, up to 100 wait for it; more are dropped. */
  readonly send: (message: Message) => "sent" | "waiting" | "dropped";
  /** Ends it. */
  readonly close: () => void;
}

/**
 * Opens the socket of an API route while the component is shown, and reconnects when the connection is lost.
 *
 * @example
 * const { state, send } = useSocket("/talk", { onMessage: (message) => setAll((all) => [...all, message]) });
 */
export function useSocket<const Id extends SocketId>(
  to: Id,
  { params, search, onMessage }: UseSocketOptions<Id> = {},
): LiveSocket<SocketTakes<Id>> {
  const [shown, setShown] = useState<{ state: SocketState; end?: SocketEnd | undefined }>({ state: "connecting" });
  const link = useRef<SocketLink>(undefined);
  const hear = useEffectEvent((message: unknown) => onMessage?.(message as SocketGives<Id>));
  const address = href(to, params, search);
  useEffect(() => {
    const opened = new SocketLink({
      address,
      onState: (state, end) => setShown({ state, end }),
      onMessage: (message) => hear(message),
    });
    link.current = opened;
    opened.open();
    return () => opened.end();
  }, [address]);
  const send = useCallback((message: SocketTakes<Id>) => link.current?.send(message) ?? "dropped", []);
  const close = useCallback(() => link.current?.close(), []);
  return { state: shown.state, end: shown.end, send, close };
}
