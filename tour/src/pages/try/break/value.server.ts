import { load } from "holdfast/server";

class Customer {
  constructor(readonly name: string) {}
}

/** A class would arrive without its methods, so it does not travel at all. */
export const data = load("/try/break/value", () => ({
  orders: [{ id: 7, customer: new Customer("Ada") as object }],
}));
