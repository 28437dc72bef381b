import { digestOfHex, newEventId } from "#protocol/new-ids";
import { standBehindDoor } from "../door.ts";
import { whenSettled } from "../when-settled.ts";
import { early, promise, tell } from "./relay.ts";

/** `holdfast/report` as browsers get it. Apart from the relay, so that only pages that use it bring it with their first script. */
export { addStep, captureError, captureMessage, log, setUser, span } from "../door.ts";

standBehindDoor({
  captureError: (error, about, here) => {
    const eventId = newEventId();
    tell("captureError", error, about, eventId, here);
    return promise(error, eventId, { url: location.href });
  },
  captureMessage: (text, level, about, here) => {
    const eventId = newEventId();
    tell("captureMessage", text, level, about, eventId, here);
    return early && digestOfHex(eventId);
  },
  span: (name, run, attributes) => {
    const startMs = performance.timeOrigin + performance.now();
    const end = (failed: boolean): void => tell("spanEnded", name, attributes, startMs, failed);
    try {
      return whenSettled(run(), end);
    } catch (thrown) {
      end(true);
      throw thrown;
    }
  },
  setUser: (user) => tell("setUser", user),
  addStep: (text, data) => tell("addStep", text, data),
  log: (level, text, attributes) => tell("log", level, text, attributes),
});
