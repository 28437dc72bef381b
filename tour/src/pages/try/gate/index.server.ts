import { action } from "holdfast/server";
import { runGate } from "../../../server/run-gate.ts";

export const actions = {
  withoutFix: action({}, async () => ({ run: await runGate("broken") })),
  withFix: action({}, async () => ({ run: await runGate("fixed") })),
};
