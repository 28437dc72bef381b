import { digestOfHex, newEventId } from "#protocol/new-ids";
import { setReporter } from "../report-api.ts";
import { whenSettled } from "../when-settled.ts";
import { earlyErrors, notify, promiseDigest } from "./relay.ts";

/** `holdfast/report` in browsers. Separate from the relay, so that only pages that import it load it. */
export { addStep, captureError, captureMessage, log, setUser, span } from "../report-api.ts";

setReporter({
  captureError: (error, about, callStack) => {
    const eventId = newEventId();
    notify("captureError", { error, about, eventId, callStack });
    return promiseDigest(error, eventId, { url: location.href });
  },
  captureMessage: (text, level, about, callStack) => {
    const eventId = newEventId();
    notify("captureMessage", { text, level, about, eventId, callStack });
    return earlyErrors && digestOfHex(eventId);
  },
  span: (name, run, attributes) => {
    const startMs = performance.timeOrigin + performance.now();
    const end = (failed: boolean): void => notify("spanEnded", { name, attributes, startMs, failed });
    try {
      return whenSettled(run(), end);
    } catch (thrown) {
      end(true);
      throw thrown;
    }
  },
  setUser: (user) => notify("setUser", user),
  addStep: (text, data) => notify("addStep", text, data),
  log: (level, text, attributes) => notify("log", level, text, attributes),
});
