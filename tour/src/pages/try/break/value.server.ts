import { load } from "holdfast/server";

class Customer {
  readonly name = "Ada";
}

/** A class would arrive without its methods, so it does not travel at all. */
export const data = load("/try/break/value", () => ({
  orders: [{ id: 7, customer: new Customer() as object }],
}));
