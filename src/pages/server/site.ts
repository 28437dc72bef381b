import type { IncomingMessage } from "node:http";
import type { ChangedHeaders, Exchange } from "#http";
import type { AddressRule } from "#routes";
import type { ServerSignals } from "#signals";
import type { ServerLimits } from "../limits.ts";
import type { HtmlAttributes } from "../view.ts";
import type { RunningActions } from "./action/running-actions.ts";
import type { SubmissionMemory } from "./action/submission-memory.ts";
import type { Application } from "./application.ts";
import type { Posts } from "./body/posts.ts";
import type { EdgePolicy } from "./cache/cdn-headers.ts";
import type { KeptSubmissions } from "./kept/kept-submissions.ts";
import type { KnownAddresses } from "./known-addresses.ts";
import type { SiteLanguages } from "./languages/site-languages.ts";
import type { ChannelRelay } from "./live/channel-hub.ts";
import type { OpenStreams } from "./live/open-streams.ts";
import type { AcceptSocket } from "./live/web-socket.ts";
import type { PrerenderedPages } from "./prerender/prerendered.ts";
import type { RouteWatch } from "./route-watch.ts";
import type { LargeAnswers } from "./send/large-answers.ts";
import type { SecurityPolicy } from "./send/security-headers.ts";
import type { SendBusy } from "./send/send-busy.ts";
import type { StaticLanguage } from "./send/static-pages.ts";
import type { VisitorCookies } from "./visitor/visitor-cookies.ts";

/** A request that another server answers. */
export interface Forwarded {
  /** Its whole address there. */
  address: string;
  rule: AddressRule;
  /** For the page that is shown if that server does not answer; English without it. */
  language?: StaticLanguage | undefined;
}

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
  /** The headers that the configuration changes for a path. */
  headersFor?: ((path: string) => ChangedHeaders | undefined) | undefined;
  /** `redirects` and `rewrites` of the configuration. */
  rules?: readonly AddressRule[] | undefined;
  /** Hands a request to another server and sends its response. Never rejects. */
  forward?: ((exchange: Exchange, forwarded: Forwarded) => Promise<void>) | undefined;
  policy: SecurityPolicy;
  /** The CDN or proxy in front. Without it, pages are kept by the server and by browsers only. */
  edge?: EdgePolicy | undefined;
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
  /** The work after responses. One per process: its shutdown waits for it. */
  after: RunningActions;
  /** Server-sent events and sockets. One per process: its shutdown ends them. */
  streams: OpenStreams;
  /** Carries messages of channels to other processes. Without it, they reach this one only. */
  relay?: ChannelRelay | undefined;
  /** Completes the handshake of a WebSocket. Without it, none can be opened. */
  acceptSocket?: AcceptSocket | undefined;
  /** One per process. */
  memory: SubmissionMemory;
  /** Submissions of actions with `keeps`. One per process. */
  kept?: KeptSubmissions | undefined;
  /** Whether the host has a page that says what became of a digest: error pages lead to it. */
  hasAnswers?: boolean | undefined;
  /** Called with the first error of a request and its digest, for its log line. */
  onError?: (incoming: IncomingMessage, error: unknown, digest: string | undefined) => void;
  /** The pages that the build has made. */
  prerendered?: PrerenderedPages | undefined;
  /** Called for each request to a route. */
  watch?: RouteWatch | undefined;
  /** Writes a sentence for the operator. */
  warn?: (sentence: string) => void;
  /** In development errors show what happened; never in production. */
  development: boolean;
  /** The clock of the cache of pages; `Date.now` without it. */
  now?: (() => number) | undefined;
}

/** Everything that stays the same between requests. */
export interface Site extends HandlerOptions {
  application: Application;
  /** Of pages whose language the application does not choose. */
  html: HtmlAttributes;
  /** Where the application has languages. */
  languages: SiteLanguages | undefined;
  busy: SendBusy;
  visitors: VisitorCookies;
  large: LargeAnswers;
  /** Absent in development, where pages change. */
  known?: KnownAddresses | undefined;
}
