import { environment } from "holdfast/server";

/**
 * What this application reads from its environment: checked before it serves anything. `.env.example` says what each is
 * for.
 */
export const env = environment({ NOTES_FILE: "text?", HOLDFAST_DATA: "text?" });
