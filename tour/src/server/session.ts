import { randomBytes } from "node:crypto";
import { cookieSession } from "holdfast/server";

/**
 * Without a secret of its own the tour makes one at each start: then a restart signs everyone out, which does no harm
 * here.
 */
const secret = process.env.TOUR_SESSION_SECRET ?? randomBytes(32).toString("hex");

export const session = cookieSession<{ name: string }>({ secret });
