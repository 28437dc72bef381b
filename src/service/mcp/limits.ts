import { readCount } from "../read-count.ts";

export interface McpLimits {
  /**
   * Characters of an answer: 5,000 tokens. Clients warn above 10,000 tokens and cut above 25,000, and every answer
   * stays in the context of the conversation. A client asks for the rest with `from`.
   */
  readonly answerCharacters: number;
  /** Bytes of a request. The longest argument is a comment. */
  readonly bodyBytes: number;
  /** Calls of one token: a burst, then a rate. An agent makes one call at a time, and several agents share a token. */
  readonly callBurst: number;
  readonly callsPerSecond: number;
}

export const mcpLimits: McpLimits = {
  answerCharacters: 20_000,
  bodyBytes: 65_536,
  callBurst: 120,
  callsPerSecond: 4,
};

/** The limits of the operator. */
export function mcpLimitsOf(env: NodeJS.ProcessEnv): McpLimits {
  const { answerCharacters, callBurst } = mcpLimits;
  return {
    ...mcpLimits,
    answerCharacters: readCount(env, "HOLDFAST_MCP_CHARACTERS") ?? answerCharacters,
    callBurst: readCount(env, "HOLDFAST_MCP_CALLS") ?? callBurst,
  };
}
