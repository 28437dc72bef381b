import { load } from "holdfast/server";

class Customer {
  readonly name = "Ada";
}

/** An instance of a class would lose its methods, so it is refused. */
export const data = load("/try/break/value", () => ({
  orders: [{ id: 7, customer: new Customer() as object }],
}));
