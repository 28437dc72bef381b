import type { ErasureCounts } from "../../stores/erase/erasure.ts";
import type { ApiErasureReport } from "../operations/erasure-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, named, oneOf, shape, time, whole } from "../schema/schema.ts";

export const countsSchema: ApiSchema<ErasureCounts> = named(
  "ErasureCounts",
  shape({
    events: whole(),
    attachments: whole(),
    traces: whole(),
    logLines: whole(),
    feedback: whole(),
    issues: whole(),
  }),
);

export const erasureReportSchema: ApiSchema<AsJson<ApiErasureReport>> = named(
  "ErasureReport",
  shape(
    {
      id: anyText(),
      what: oneOf(["again", "event", "issue", "project", "visitor"]),
      by: anyText(),
      askedAt: time(),
      state: oneOf(["done", "failed", "waiting"]),
      removed: countsSchema,
    },
    { endedAt: time(), why: anyText("Why it failed. It is tried again.") },
  ),
);
