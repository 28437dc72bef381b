import { load } from "holdfast/server";
import { contents } from "../../server/guides.ts";

export const data = load(() => ({ contents }));
