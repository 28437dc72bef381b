import type { Tool, ToolContext } from "./tool.ts";
import { commentIssueTool } from "./tools/comment-issue.ts";
import { findIssuesTool } from "./tools/find-issues.ts";
import { findLogsTool } from "./tools/find-logs.ts";
import { lastFailuresTool } from "./tools/last-failures.ts";
import { lastLoadTool } from "./tools/last-load.ts";
import { listProjectsTool } from "./tools/list-projects.ts";
import { listRoutesTool } from "./tools/list-routes.ts";
import { readEventTool } from "./tools/read-event.ts";
import { readIssueTool } from "./tools/read-issue.ts";
import { readTraceTool } from "./tools/read-trace.ts";
import { releaseChangesTool } from "./tools/release-changes.ts";
import { reproduceEventTool } from "./tools/reproduce-event.ts";
import { resolveIssueTool } from "./tools/resolve-issue.ts";
import { similarIssuesTool } from "./tools/similar-issues.ts";

/** Tools of every service. A new one is one file of `tools/`, and one line in this list. */
export const serviceTools: readonly Tool[] = [
  listProjectsTool,
  findIssuesTool,
  readIssueTool,
  readEventTool,
  readTraceTool,
  findLogsTool,
  similarIssuesTool,
  releaseChangesTool,
  reproduceEventTool,
  resolveIssueTool,
  commentIssueTool,
];

/** In development also those of the running application. */
export function toolsFor({ development }: Pick<ToolContext, "development">): readonly Tool[] {
  return development
    ? [...serviceTools, listRoutesTool(development), lastFailuresTool(development), lastLoadTool]
    : serviceTools;
}
