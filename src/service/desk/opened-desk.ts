import { serviceErrors } from "../errors.ts";
import type { Desk } from "./desk.ts";

let opened: Desk | undefined;

/** The desk of the service that runs in this process. */
export function openedDesk(): Desk {
  if (!opened) throw serviceErrors.noDesk();
  return opened;
}

/** For the host, when it has opened the service, and when it closes it. */
export function putDesk(desk: Desk | undefined): void {
  opened = desk;
}
