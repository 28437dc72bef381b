import { serviceErrors } from "../errors.ts";
import type { ConsoleApi } from "./console-api.ts";

let opened: ConsoleApi | undefined;

/** Returns the API of the service that runs in this process. */
export function consoleApi(): ConsoleApi {
  if (!opened) throw serviceErrors.noDesk();
  return opened;
}

/** The host calls it when it opens or closes the service. */
export function setConsoleApi(api: ConsoleApi | undefined): void {
  opened = api;
}
