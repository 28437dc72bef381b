import { load } from "holdfast/server";
import { findOrder } from "../server/orders.ts";
import { sourcesOf } from "../server/sources.ts";

export const data = load("/", () => ({ example: sourcesOf("/try/orders/[id]"), order: findOrder("7") }));
