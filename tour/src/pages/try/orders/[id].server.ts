import { load, notFound } from "holdfast/server";
import { findOrder } from "../../../server/orders.ts";

export const data = load("/try/orders/[id]", ({ params }) => {
  return findOrder(params.id) ?? notFound();
});
