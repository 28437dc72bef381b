import { createHash } from "node:crypto";
import type { Site } from "../site.ts";

/** Identifies the settings that documents contain: a page that was made with others must not be sent. */
export function documentSettings({ headStart, hasAnswers, limits, lang, application }: Site): string {
  const answers = hasAnswers ? [limits.brokenPages, limits.brokenPageDays] : [];
  const settings = [application.parts.build, headStart, lang, ...answers];
  return createHash("sha256").update(JSON.stringify(settings)).digest("base64url").slice(0, 22);
}
