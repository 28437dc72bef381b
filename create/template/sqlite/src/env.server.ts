import { environment } from "holdfast/server";

/**
 * Environment variables of this application, checked before it serves anything. `.env.example` explains each of them.
 */
export const env = environment({ NOTES_FILE: "text?", HOLDFAST_DATA: "text?" });
