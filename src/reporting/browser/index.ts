export { openSignals } from "./relay.ts";
