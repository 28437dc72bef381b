/** A few orders for the pages to show. In memory: a restart restores the initial state. */
export interface Order {
  id: string;
  customer: string;
  placed: Date;
  cents: bigint;
  items: Map<string, number>;
}

const orders = new Map<string, Order>(
  [
    {
      customer: "Ada Lovelace",
      placed: "2026-03-01T09:30:00Z",
      cents: 129_900n,
      items: [["Punched cards", 24] as const],
    },
    {
      customer: "Grace Hopper",
      placed: "2026-03-04T16:05:00Z",
      cents: 4_250n,
      items: [["Moth, preserved", 1] as const, ["Nanosecond of wire", 12] as const],
    },
    { customer: "Konrad Zuse", placed: "2026-03-09T11:48:00Z", cents: 88_000n, items: [["Relay", 600] as const] },
  ].map(({ placed, items, ...rest }, index) => {
    const id = String(index + 7);
    return [id, { ...rest, id, placed: new Date(placed), items: new Map(items) }];
  }),
);

export function findOrder(id: string): Order | undefined {
  return orders.get(id);
}

export function allOrders(): Order[] {
  return [...orders.values()];
}
