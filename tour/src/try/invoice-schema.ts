import { z } from "zod";

/** One schema for the server and for the check in the browser. */
export const invoiceSchema = z.object({
  address: z.object({
    name: z.string().trim().min(1, "Say who pays.").max(60, "Keep it under 60 characters."),
    city: z.string().trim().min(1, "Say a city.").max(60, "Keep it under 60 characters."),
  }),
  lines: z
    .array(
      z.object({
        text: z.string().trim().min(1, "Say what it is for.").max(60, "Keep it under 60 characters."),
        amount: z.coerce
          .number("Say a number.")
          .positive("Say an amount above zero.")
          .max(100_000, "That is too much."),
      }),
    )
    .min(1, "An invoice has at least one line."),
});
