import type { IncomingMessage } from "node:http";
import type { ServerSignals } from "#signals";
import type { ServerLimits } from "../limits.ts";
import type { RunningActions } from "./action/running-actions.ts";
import type { SubmissionMemory } from "./action/submission-memory.ts";
import type { Application } from "./application.ts";
import type { Posts } from "./body/posts.ts";
import type { LargeAnswers } from "./send/large-answers.ts";
import type { SecurityPolicy } from "./send/security-headers.ts";
import type { VisitorCookies } from "./visitor/visitor-cookies.ts";

/** What the host decides about pages. */
export interface HandlerOptions {
  signals: ServerSignals;
  limits: ServerLimits;
  /** The language of the document. */
  lang: string;
  /**
   * Where this request came to, for example `https://shop.example`: by configuration, trusted proxy, or the connection.
   */
  originOf: (incoming: IncomingMessage) => string;
  /** The network address of the visitor: of the connection, or what a trusted proxy says. */
  clientOf: (incoming: IncomingMessage) => string;
  /** Origins besides the own one that may post here. */
  trustedOrigins: readonly string[];
  /** Origins besides the own one to which a redirect may lead. */
  redirectOrigins: readonly string[];
  policy: SecurityPolicy;
  /** What posts under way hold: one for all handlers of a process. */
  posts: Posts;
  /**
   * A script that runs before all others in every document, made by the host: what catches early errors. The same text
   * for all documents, so that the policy can name it by its hash, also where a document may be cached. Empty for none.
   */
  headStart: string;
  /** Folder for uploads, and for large answers that wait for a slow reader, while their request lasts. */
  uploadFolder: string;
  /** 32 bytes: what visitors bring back is sealed under it. The same for all processes that answer for one address. */
  sealKey: Uint8Array;
  /** One for the process: its shutdown waits for them. */
  actions: RunningActions;
  /** One for the process. */
  memory: SubmissionMemory;
  /** Called with the first error of a request and its digest, for the line that the log has of it. */
  onError?: (incoming: IncomingMessage, error: unknown, digest: string | undefined) => void;
  /** In development errors show what happened; never in production. */
  development: boolean;
}

/** Everything that stays the same from request to request. */
export interface Site extends HandlerOptions {
  application: Application;
  visitors: VisitorCookies;
  large: LargeAnswers;
}
