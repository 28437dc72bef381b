export { onUncaught, openSignals } from "./relay.ts";
