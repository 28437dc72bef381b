import { allOrders } from "../../server/orders.ts";

export function GET(): Response {
  const lines = allOrders().map(({ id, customer, cents }) => `${id},"${customer}",${cents}`);
  return new Response(`id,customer,cents\n${lines.join("\n")}\n`, {
    headers: { "content-type": "text/csv; charset=utf-8", "content-disposition": 'attachment; filename="orders.csv"' },
  });
}
