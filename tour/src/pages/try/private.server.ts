import { action } from "holdfast/server";

export const actions = {
  /** Fails while it handles a secret, as real code does. */
  pay: action({}, ({ cookies, input }) => {
    cookies.set("basket", "secret", { path: "/try/private" });
    const fields = input instanceof FormData ? [...input.keys()].length : 0;
    throw new Error(`The bank took none of ${fields} fields.`);
  }),
};
