import type { HoldfastError } from "#errors";

/** Why a request is refused, before it is a response. */
export interface ApiProblem {
  readonly status: number;
  readonly error: HoldfastError;
  /** JSON Pointer into the body, or the name of a parameter. */
  readonly path?: string | undefined;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Refused {
  readonly kind: "refused";
  readonly problem: ApiProblem;
}

export function refuseCall(
  status: number,
  error: HoldfastError,
  more: Omit<ApiProblem, "status" | "error"> = {},
): Refused {
  return { kind: "refused", problem: { status, error, ...more } };
}

/** The form of RFC 9457. `code` never changes; the words may. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly path?: string;
}

export function writeProblem({ status, error, path }: ApiProblem): ProblemBody {
  const { code, whatToDo, message } = error;
  return {
    type: `urn:holdfast:${code}`,
    title: message.slice(0, message.lastIndexOf(whatToDo)).trim(),
    status,
    code,
    detail: whatToDo,
    ...(path !== undefined && { path }),
  };
}
