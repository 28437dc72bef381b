import { action, load } from "holdfast/server";
import { lampOrders, orderSchema } from "../../server/lamp-orders.ts";

export const data = load("/try/kept", () => ({ orders: lampOrders.latest(), isAway: lampOrders.isProviderAway }));

export const actions = {
  order: action({ input: orderSchema, keeps: true }, ({ input, visit }) => {
    if (lampOrders.isProviderAway) throw new Error("The payment provider does not answer.");
    lampOrders.add({ lamp: input.lamp, how: visit ? "at once" : "run again" });
    return { ordered: input.lamp };
  }),
  switchProvider: action({}, () => {
    lampOrders.switchProvider();
    return {};
  }),
};
