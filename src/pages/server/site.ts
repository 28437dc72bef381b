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

/** What the host decides for pages. */
export interface HandlerOptions {
  signals: ServerSignals;
  limits: ServerLimits;
  /** The language of the document. */
  lang: string;
  /**
   * The origin that this request was sent to, for example `https://shop.example`: from configuration, a trusted proxy,
   * or the connection.
   */
  originOf: (incoming: IncomingMessage) => string;
  /** The network address of the visitor: of the connection, or as reported by a trusted proxy. */
  clientOf: (incoming: IncomingMessage) => string;
  /** Other origins that may post here. */
  trustedOrigins: readonly string[];
  /** Other origins to which a redirect may lead. */
  redirectOrigins: readonly string[];
  policy: SecurityPolicy;
  /** Resources of concurrent posts: one for all handlers of a process. */
  posts: Posts;
  /**
   * A script of the host that runs before all others in every document and catches early errors. The same text for all
   * documents, so that the policy can allow it by hash even in cached documents. Empty for none.
   */
  headStart: string;
  /** Folder for uploads and for unsent large responses, each deleted after its request. */
  uploadFolder: string;
  /** 32 bytes. Seals what visitors send back. The same for all processes that serve one address. */
  sealKey: Uint8Array;
  /** One per process: its shutdown waits for them. */
  actions: RunningActions;
  /** One per process. */
  memory: SubmissionMemory;
  /** Called with the first error of a request and its digest, for its log line. */
  onError?: (incoming: IncomingMessage, error: unknown, digest: string | undefined) => void;
  /** In development errors show what happened; never in production. */
  development: boolean;
}

/** Everything that stays the same between requests. */
export interface Site extends HandlerOptions {
  application: Application;
  visitors: VisitorCookies;
  large: LargeAnswers;
}
