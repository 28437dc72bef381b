import { action } from "holdfast/server";
import { runRelease } from "../../../server/run-release.ts";

export const actions = {
  run: action({ timeout: 60 }, runRelease),
};
