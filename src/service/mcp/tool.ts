import type { Person } from "../accounts/people.ts";
import { checkBySchema } from "../api/schema/check.ts";
import { type ApiSchema, shape, whole } from "../api/schema/schema.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import type { DevelopmentSource } from "./development-source.ts";

/** As much of the console's API as the tools use. */
export type McpApi = Pick<
  ConsoleApi,
  | "projects"
  | "now"
  | "settled"
  | "issues"
  | "filterProblems"
  | "issue"
  | "event"
  | "publicEvent"
  | "eventAsMarkdown"
  | "trace"
  | "live"
  | "logs"
  | "mergeTargets"
  | "release"
  | "releaseNames"
  | "releaseComparison"
> & {
  /** Undefined where the service only reads. */
  readonly change: ConsoleApi["change"] | undefined;
  /** Notes for the audit log that a person was refused. */
  refuse(refusal: { who: string; project: number; why: string }): Promise<void>;
};

/** Who calls a tool, and what it works with. */
export interface ToolContext {
  readonly api: McpApi;
  /** With the roles that the token permits. */
  readonly person: Person;
  /** Address of the console, for links. */
  readonly console: string | undefined;
  /** The running application, during development. */
  readonly development?: DevelopmentSource | undefined;
  readonly warn: (what: string, error: unknown) => void;
}

export type ToolOutcome =
  /** Text with parts that come from outside. It is framed and cut. */
  | { readonly kind: "found"; readonly text: string }
  /** A sentence of the tool itself. */
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "unknown"; readonly what: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "invalid"; readonly why: string };

/** `triage` changes issues. */
export type ToolNeed = "read" | "triage";

interface ToolHead {
  readonly name: string;
  readonly title: string;
  /** For a reader who chooses between tools: what it answers, and when it helps. */
  readonly description: string;
  readonly needs: ToolNeed;
}

interface ToolDefinition<Input> extends ToolHead {
  readonly input: ApiSchema<Input>;
  run(context: ToolContext, input: Input): Promise<ToolOutcome>;
}

export interface Tool extends ToolHead {
  readonly input: ApiSchema<unknown>;
  /** Checks the arguments, then runs. */
  call(context: ToolContext, given: unknown): Promise<ToolOutcome>;
}

export function defineTool<Input>({ run, ...definition }: ToolDefinition<Input>): Tool {
  return {
    ...definition,
    call: async (context, given) => {
      const checked = checkBySchema(definition.input, given);
      if (checked.kind === "valid") return run(context, checked.value);
      const which = checked.path === "" ? "The arguments" : `The argument ${checked.path.slice(1)}`;
      return { kind: "invalid", why: `${which}: ${checked.why}` };
    },
  };
}

const project = whole({ min: 1, max: 999_999_999, description: "Number of the project. Needed if there are several." });

/** Arguments of most tools. */
export const ofProject: { readonly project: ApiSchema<number> } = { project };

/** Arguments of tools whose answers can be longer than the limit. */
export const paged: { readonly project: ApiSchema<number>; readonly from: ApiSchema<number> } = {
  project,
  from: whole({ min: 0, max: 10_000_000, description: "Continues an answer that was cut: the number it ends with." }),
};

export const issueNumber: ApiSchema<number> = whole({
  min: 1,
  max: 999_999_999,
  description: "Number of the issue, as in #12.",
});

export const noInput: ApiSchema<object> = shape({}, {});
