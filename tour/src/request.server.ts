import { onRequest } from "holdfast/server";
import { session } from "./server/session.ts";

export default onRequest(({ cookies }) => ({ visitor: session.read(cookies) }));
