import { load } from "holdfast/server";
import { sourcesOf } from "../server/sources.ts";

export const data = load("/", () => ({ example: sourcesOf("/try/orders/[id]") }));
