import { serviceErrors } from "../errors.ts";
import type { ConsoleApi } from "./console-api.ts";

let opened: ConsoleApi | undefined;

/** The API of the service that runs in this process. */
export function consoleApi(): ConsoleApi {
  if (!opened) throw serviceErrors.noDesk();
  return opened;
}

/** For the host, when it has opened the service, and when it closes it. */
export function setConsoleApi(api: ConsoleApi | undefined): void {
  opened = api;
}
