export { browserSignals } from "./relay.ts";
