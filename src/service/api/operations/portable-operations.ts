import type { ImportOutcome } from "../../portable/import-lines.ts";
import type { PortableLine } from "../../stores/portable/lines.ts";
import type { InProject } from "./shared-types.ts";

export interface PortableOperations {
  "GET /projects/{project}/export": { params: InProject; query: { readonly after?: string | undefined } };
  "POST /projects/{project}/import": {
    params: InProject;
    body: { readonly lines: readonly PortableLine[] };
    response: ImportOutcome;
  };
}
