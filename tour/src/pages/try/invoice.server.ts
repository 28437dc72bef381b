import { action } from "holdfast/server";
import { invoiceSchema } from "../../try/invoice-schema.ts";

/** An invoice of more lines is sent in parts. */
const linesAtMost = 8;

export const actions = {
  send: action({ input: invoiceSchema }, ({ input: { address, lines }, invalid }) => {
    if (lines.length > linesAtMost) invalid({ "lines[8].text": `An invoice has ${linesAtMost} lines at most.` });
    const sum = lines.reduce((sum, { amount }) => sum + amount, 0);
    return { sent: `${lines.length === 1 ? "1 line" : `${lines.length} lines`}, ${sum.toFixed(2)} to ${address.name}` };
  }),
};
