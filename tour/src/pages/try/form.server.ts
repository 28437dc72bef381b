import { action, invalid, load } from "holdfast/server";
import { bookingSchema, bookings } from "../../server/bookings.ts";

export const data = load("/try/form", () => ({ bookings: bookings.latest() }));

export const actions = {
  book: action({ input: bookingSchema }, ({ input }) => {
    if (bookings.isTaken(input)) invalid({ time: "This table is taken at that time." });
    bookings.add(input);
    return { booked: `${input.name}, ${input.date} at ${input.time}` };
  }),
};
