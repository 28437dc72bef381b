import { load, notFound } from "holdfast/server";
import { findOrder } from "../../../server/orders.ts";

export const data = load("/try/dialogs/[id]", ({ params }) => findOrder(params.id) ?? notFound());
