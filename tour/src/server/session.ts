import { randomBytes } from "node:crypto";
import { cookieSession } from "holdfast/server";

/**
 * Without a configured secret, the tour creates one at each start: a restart then signs everyone out, which does no
 * harm.
 */
const secret = process.env.TOUR_SESSION_SECRET ?? randomBytes(32).toString("hex");

export const session = cookieSession<{ name: string }>({ secret });
