import { load } from "holdfast/server";
import { choicesIn } from "../server/own-choices.ts";

export const data = load(({ cookies }) => choicesIn(cookies));
